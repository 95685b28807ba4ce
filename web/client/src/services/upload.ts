import type { Client } from '../api.ts'
import { WeftError } from '../graph/error.ts'
import { insideOf } from '../inside.ts'
import { answered, ask, unanswered } from './call.ts'
import { nameIn } from './image.ts'

/** A file that the server has taken. */
export interface Upload {
  readonly success: true
  readonly message: 'Upload Success'
  /** Where everybody reads it who knows the address. */
  readonly url: string
  /** The small variant of a picture, at most 400 pixels wide and high. */
  readonly small: string | undefined
}

export interface UploadOptions {
  /** Called with how much has been sent, from 0 to 1, where the browser can tell. */
  readonly progress?: (share: number) => void
  /** Cancels: the upload rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

/** What a server takes, in bytes. */
export interface UploadLimit {
  readonly maxImageSize: number
  readonly maxFileSize: number
}

/**
 * Uploads a picture (jpeg, png, webp) or a document (doc, xls, ppt, plain text, pdf, and what is called `.md`), as
 * the browser names its type. Rejects before anything is sent with `Invalid File Format` (`invalid`) for other
 * files and with both sizes (`tooLarge`) for one above the server's limit; then with the server's words, or with
 * `File Upload Failed` where it has none.
 */
export async function upload(
  client: Client,
  file: File,
  { progress, signal }: UploadOptions = {},
): Promise<Upload> {
  const picture = pictures.includes(file.type)
  if (!picture && !documents.includes(file.type) && !/\.md$/i.test(file.name))
    throw new WeftError('invalid', 'Invalid File Format')
  // A server that does not say its limits refuses by itself what is too long.
  const limit = await uploadLimit(client, signal).catch(unlimited(signal))
  const most = (picture ? limit.maxImageSize : limit.maxFileSize) ?? Infinity
  if (file.size > most)
    throw new WeftError('tooLarge', `${file.name} has ${file.size} bytes; the most is ${most}`)
  const form = new FormData()
  form.set(picture ? 'image' : 'file', file)
  const path = `/api/Image/${picture ? 'UploadImageV2' : 'UploadFile'}`
  const { status, text } = await send(client, path, form, progress, signal)
  const { data: url, small } = answered<Answer>(status, text, path, failed)
  if (!url) throw new WeftError('internal', failed)
  return { success: true, message: 'Upload Success', url, small }
}

/** What may be uploaded. A member that the server does not say is missing. */
export const uploadLimit = (client: Client, signal?: AbortSignal): Promise<Partial<UploadLimit>> =>
  ask<UploadLimit>(client, '/api/upload/limit', signal && { signal })

/** Removes an upload of one's own, by its address. A small variant goes with its picture. */
export async function removeUpload(client: Client, url: string): Promise<void> {
  await ask(client, `/api/uploads/${encodeURIComponent(nameIn(url))}`, { method: 'DELETE' })
}

interface Answer {
  readonly data: string
  readonly small: string
}

const failed = 'File Upload Failed'
const pictures = ['image/jpeg', 'image/jpg', 'image/png', 'image/webp']
const documents = [
  'application/msword',
  'application/vnd.ms-excel',
  'application/vnd.ms-powerpoint',
  'text/plain',
  'application/pdf',
]

const unlimited =
  (signal: AbortSignal | undefined) =>
  (error: unknown): Partial<UploadLimit> => {
    if (signal?.aborted) throw error
    return {}
  }

interface Sent {
  readonly status: number
  readonly text: string
}

/** Sends a form. `fetch` tells nothing of what has been sent, so whoever wants to know gets the older way. */
async function send(
  client: Client,
  path: string,
  body: FormData,
  progress: UploadOptions['progress'],
  signal: AbortSignal | undefined,
): Promise<Sent> {
  signal?.throwIfAborted()
  if (progress && globalThis.XMLHttpRequest) {
    const sent = await sendTold(client, path, body, progress, signal)
    // The token may have run out, and is renewed by whoever asks the usual way.
    if (sent.status !== 401) return sent
  }
  try {
    const answer = await insideOf(client).http.get(path, {
      method: 'POST',
      body,
      ...(signal && { signal }),
    })
    return { status: answer.status, text: await answer.text() }
  } catch (e) {
    throw signal?.aborted ? e : unanswered(path, e)
  }
}

function sendTold(
  client: Client,
  path: string,
  body: FormData,
  progress: (share: number) => void,
  signal: AbortSignal | undefined,
): Promise<Sent> {
  const { url, token } = insideOf(client).http
  return new Promise((sent, fail) => {
    const request = new XMLHttpRequest()
    request.upload.onprogress = ({ loaded, total }) => progress(loaded / total)
    request.onload = () => sent({ status: request.status, text: request.responseText })
    request.onerror = () => fail(unanswered(path))
    request.onabort = () => fail(signal?.reason)
    const abort = () => request.abort()
    signal?.addEventListener('abort', abort)
    request.onloadend = () => signal?.removeEventListener('abort', abort)
    request.open('POST', url + path)
    if (token) request.setRequestHeader('Authorization', `Bearer ${token}`)
    request.send(body)
  })
}
