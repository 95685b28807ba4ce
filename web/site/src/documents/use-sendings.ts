import { useState } from 'react'
import { type Sending, send } from './sending.ts'

/** The files on their way, and a way to send more. `arrived` hears of each that has come. */
export function useSendings(pictures: readonly string[], arrived: () => void) {
  const [sendings, setSendings] = useState<readonly Sending[]>([])
  const change = (key: string, to: Partial<Sending>) =>
    setSendings((all) => all.map((one) => (one.key === key ? { ...one, ...to } : one)))
  const drop = (key: string) => setSendings((all) => all.filter((one) => one.key !== key))

  const start = (file: File) => {
    const key = crypto.randomUUID()
    const stop = send(file, pictures, {
      progress: (progress) => change(key, { progress }),
      done: () => {
        drop(key)
        arrived()
      },
      refused: (message) => change(key, { state: 'refused', message }),
    })
    const cancel = () => {
      stop()
      drop(key)
    }
    const one = { key, file, state: 'sending', progress: 0, message: '', cancel } as const
    setSendings((all) => [...all, one])
  }
  return { sendings, take: (files: Iterable<File>) => [...files].forEach(start) }
}
