import type { Client } from '../api.ts'
import { internalsOf } from '../internals.ts'
import { WeftError } from '../model/error.ts'
import { noResponseError, readResponse, request } from './service-request.ts'

/** An uploaded file. */
export interface UploadResult {
  readonly success: true
  readonly message: 'Upload Success'
  /** URL of the file. Anyone who has this URL can read the file. */
  readonly url: string
  /** Address of the small variant of a picture, at most 400 pixels wide and high. */
  readonly small: string | undefined
}

export interface UploadOptions {
  /** Called with the share of the file that has been sent, from 0 to 1, if the browser reports it. */
  readonly onProgress?: (share: number) => void
  /** Cancels the upload, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

/** The largest files that a server accepts, in bytes. */
export interface UploadLimits {
  readonly maxImageSize: number
  readonly maxFileSize: number
}

/**
 * Uploads a picture (jpeg, png, webp) or a document (pdf, doc, docx, xls, xlsx, ppt, pptx, plain text, md, csv, zip).
 * The type is the one that the browser determined or, without one, follows from the extension of the name.
 *
 * Before sending the file, rejects with `Invalid File Format` (`invalid`) for other types, and with `tooLarge` for a
 * file above the server's limit; the message has both sizes. If the server refuses the file, rejects with the server's
 * message, or with `File Upload Failed`.
 */
export async function uploadFile(
  client: Client,
  file: File,
  { onProgress, signal }: UploadOptions = {},
): Promise<UploadResult> {
  const isPicture = pictureTypes.includes(file.type)
  if (!isPicture && !documentTypes.includes(file.type) && !documentNames.test(file.name))
    throw new WeftError('invalid', 'Invalid File Format')
  const limits = await fetchLimitsIfKnown(client, signal)
  const maxSize = (isPicture ? limits.maxImageSize : limits.maxFileSize) ?? Infinity
  if (file.size > maxSize)
    throw new WeftError(
      'tooLarge',
      `${file.name} has ${file.size} bytes; the maximum is ${maxSize}`,
    )
  const form = new FormData()
  form.set(isPicture ? 'image' : 'file', file)
  const path = `/api/Image/${isPicture ? 'UploadImageV2' : 'UploadFile'}`
  const { status, text } = await sendForm(client, path, form, { onProgress, signal })
  const { data: url, small } = readResponse<UploadBody>(status, text, path, uploadFailed)
  if (!url) throw new WeftError('internal', uploadFailed)
  return { success: true, message: 'Upload Success', url, small }
}

/** Requests the size limits of the server. A limit that the server does not report is missing from the result. */
export const fetchUploadLimits = (
  client: Client,
  signal?: AbortSignal,
): Promise<Partial<UploadLimits>> =>
  request<UploadLimits>(client, '/api/upload/limit', signal && { signal })

/** Removes an upload of the current user, by its address. The small variant of a picture is removed with it. */
export async function removeUpload(client: Client, url: string): Promise<void> {
  await request(client, `/api/uploads/${encodeURIComponent(fileName(url))}`, { method: 'DELETE' })
}

/**
 * Returns the address of an upload at this server. Only the file name of `address` counts, so stored addresses stay
 * valid after the uploads have moved. The small variant has `_small` before its extension. An address without a file name is
 * returned unchanged.
 */
export function uploadUrl(client: Client, address: string, size?: 'small'): string {
  const name = fileName(address)
  if (!name) return address
  return `${client.url}/uploads/${size ? name.replace(/(\.[^.]*)?$/, '_small$1') : name}`
}

const fileName = (address: string): string => address.replace(/[?#].*$/, '').replace(/^.*\//, '')

/** The body of a successful response. */
interface UploadBody {
  readonly data: string
  readonly small: string
}

const uploadFailed = 'File Upload Failed'
const pictureTypes = ['image/jpeg', 'image/jpg', 'image/png', 'image/webp']
const documentTypes = [
  'application/msword',
  'application/vnd.ms-excel',
  'application/vnd.ms-powerpoint',
  'text/plain',
  'application/pdf',
  'text/csv',
  'application/zip',
]
/** Browsers determine no type for these files, or a type that depends on the operating system. */
const documentNames = /\.(md|csv|zip|docx|xlsx|pptx)$/i

/**
 * Requests the limits. Returns none if the request fails, because the server refuses files that are too large anyway.
 */
async function fetchLimitsIfKnown(
  client: Client,
  signal: AbortSignal | undefined,
): Promise<Partial<UploadLimits>> {
  try {
    return await fetchUploadLimits(client, signal)
  } catch (error) {
    if (signal?.aborted) throw error
    return {}
  }
}

interface TextResponse {
  readonly status: number
  readonly text: string
}

interface SendOptions {
  readonly onProgress: UploadOptions['onProgress'] | undefined
  readonly signal: AbortSignal | undefined
}

/** Sends a form. Uses `XMLHttpRequest` if the caller wants progress, because `fetch` does not report progress. */
async function sendForm(
  client: Client,
  path: string,
  body: FormData,
  { onProgress, signal }: SendOptions,
): Promise<TextResponse> {
  signal?.throwIfAborted()
  if (onProgress && globalThis.XMLHttpRequest) {
    const response = await sendFormWithProgress(client, path, body, { onProgress, signal })
    // An expired token is renewed by `fetchWithToken` below.
    if (response.status !== 401) return response
  }
  try {
    const response = await internalsOf(client).http.fetchWithToken(path, {
      method: 'POST',
      body,
      ...(signal && { signal }),
    })
    return { status: response.status, text: await response.text() }
  } catch (e) {
    throw signal?.aborted ? e : noResponseError(path, e)
  }
}

function sendFormWithProgress(
  client: Client,
  path: string,
  body: FormData,
  { onProgress, signal }: SendOptions,
): Promise<TextResponse> {
  const { url, token } = internalsOf(client).http
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.upload.onprogress = ({ loaded, total }) => onProgress?.(loaded / total)
    request.onload = () => resolve({ status: request.status, text: request.responseText })
    request.onerror = () => reject(noResponseError(path))
    request.onabort = () => reject(signal?.reason)
    const abort = () => request.abort()
    signal?.addEventListener('abort', abort)
    request.onloadend = () => signal?.removeEventListener('abort', abort)
    request.open('POST', url + path)
    if (token) request.setRequestHeader('Authorization', `Bearer ${token}`)
    request.send(body)
  })
}
