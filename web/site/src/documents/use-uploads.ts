import { useState } from 'react'

/** A file with a pending or failed upload. */
interface PendingUpload {
  readonly key: string
  readonly file: File
  readonly state: 'uploading' | 'failed'
  /** From 0 to 1. */
  readonly progress: number
  /** The reason why the upload failed; empty until then. */
  readonly message: string
  /** Aborts the upload and removes it from the list. */
  readonly cancel: () => void
}

/** Manages uploads. Calls `onUploaded` after each file that the server has stored. */
export function useUploads(onUploaded: () => void) {
  const [pending, setPending] = useState<readonly PendingUpload[]>([])
  const update = (key: string, changes: Partial<PendingUpload>) =>
    setPending((list) => list.map((item) => (item.key === key ? { ...item, ...changes } : item)))
  const remove = (key: string) => setPending((list) => list.filter((item) => item.key !== key))

  const start = (file: File) => {
    const key = crypto.randomUUID()
    const controller = new AbortController()
    const cancel = () => {
      controller.abort()
      remove(key)
    }
    const upload = { key, file, state: 'uploading', progress: 0, message: '', cancel } as const
    setPending((list) => [...list, upload])
    sendFile(file, (progress) => update(key, { progress }), controller.signal).then(
      () => {
        remove(key)
        onUploaded()
      },
      (error: Error) => update(key, { state: 'failed', message: error.message }),
    )
  }
  return { pending, addFiles: (files: Iterable<File>) => [...files].forEach(start) }
}

/** Uploads a file. The upload code is loaded with the first file. */
async function sendFile(
  file: File,
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const { uploadFile } = await import('./upload-file.ts').catch(() => {
    throw new Error('the server cannot be reached')
  })
  await uploadFile(file, onProgress, signal)
}
