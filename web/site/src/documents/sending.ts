import { storedProfile } from '@weft/client/account'
import { account } from '../account/own.ts'

/** A file on its way. */
export interface Sending {
  readonly key: string
  readonly file: File
  readonly state: 'sending' | 'refused'
  /** From 0 to 1. */
  readonly progress: number
  /** Why it was refused, in the server's words. */
  readonly message: string
  readonly cancel: () => void
}

interface Told {
  readonly progress: (share: number) => void
  readonly done: () => void
  readonly refused: (message: string) => void
}

/** Sends a file, and tells how far it has got. The function returned cancels. */
export function send(file: File, pictures: readonly string[], told: Told): () => void {
  let request = open()
  let renewed = false

  function open(): XMLHttpRequest {
    const picture = pictures.includes(file.type)
    const form = new FormData()
    form.set(picture ? 'image' : 'file', file)
    const next = new XMLHttpRequest() // fetch tells nothing of what has been sent
    next.upload.addEventListener('progress', ({ loaded, total }) => told.progress(loaded / total))
    next.addEventListener('load', () => void settle(next))
    next.addEventListener('error', () => told.refused('the server does not answer'))
    next.open('POST', picture ? '/api/Image/UploadImage' : '/api/Image/UploadFile')
    const token = storedProfile()?.token
    if (token !== undefined) next.setRequestHeader('Authorization', `Bearer ${token}`)
    next.send(form)
    return next
  }

  /** A token that has run out is renewed, once, and the file is sent again. */
  async function settle({ status, responseText }: XMLHttpRequest): Promise<void> {
    if (status === 200) return told.done()
    if (status === 401 && !renewed) {
      renewed = true
      const profile = await account.refresh().catch(() => undefined)
      if (profile !== undefined) {
        request = open()
        return
      }
    }
    told.refused(messageIn(responseText) ?? `the server answered ${status}`)
  }
  return () => request.abort()
}

function messageIn(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { message?: string }).message
  } catch {
    return undefined
  }
}
