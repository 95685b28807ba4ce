import { useState } from 'react'

/** A file on its way. */
interface Sending {
  readonly key: string
  readonly file: File
  readonly state: 'sending' | 'refused'
  /** From 0 to 1. */
  readonly progress: number
  /** Why it was refused. */
  readonly message: string
  readonly cancel: () => void
}

/** The files on their way, and a way to send more. `arrived` hears of each that has come. */
export function useSendings(arrived: () => void) {
  const [sendings, setSendings] = useState<readonly Sending[]>([])
  const change = (key: string, to: Partial<Sending>) =>
    setSendings((all) => all.map((one) => (one.key === key ? { ...one, ...to } : one)))
  const drop = (key: string) => setSendings((all) => all.filter((one) => one.key !== key))

  const start = (file: File) => {
    const key = crypto.randomUUID()
    const stop = new AbortController()
    const cancel = () => {
      stop.abort()
      drop(key)
    }
    const one = { key, file, state: 'sending', progress: 0, message: '', cancel } as const
    setSendings((all) => [...all, one])
    sendFile(file, (progress) => change(key, { progress }), stop.signal).then(
      () => {
        drop(key)
        arrived()
      },
      (error: Error) => change(key, { state: 'refused', message: error.message }),
    )
  }
  return { sendings, take: (files: Iterable<File>) => [...files].forEach(start) }
}

/** The code that sends comes with the first file: who only reads does without. */
async function sendFile(
  file: File,
  progress: (share: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const { send } = await import('./sending.ts').catch(() => {
    throw new Error('the server does not answer')
  })
  await send(file, progress, signal)
}
