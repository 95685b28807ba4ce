import type { BulkEmailBody, EmailBody } from './model/accounts.ts'
import { validDocumentFormats, validImageFormats } from './model/constants.ts'
import { currentClient, currentInternals } from './start.ts'

/*
 * Uploads, their URLs, and mail. As in the wire contract, these calls do not reject: after a failure they resolve with
 * null, or with a result with `success: false`.
 */

/**
 * Posts a form, with the given token or else that of the client. Resolves with the JSON of the response; null after a
 * failure.
 */
async function post(path: string, init: RequestInit, token?: string): Promise<any> {
  try {
    const { http } = currentInternals()
    const headers = { ...init.headers, ...(token && { Authorization: `Bearer ${token}` }) }
    const request = { method: 'POST', ...init, headers }
    const response = token
      ? await http.fetch(http.url + path, request)
      : await http.fetchWithToken(path, request)
    return response.ok ? await response.json() : null
  } catch {
    return null
  }
}

/** Uploads a picture from the field `image` of a form. */
export const uploadImage = (body: FormData, token = ''): Promise<any> =>
  post('/api/Image/UploadImage', { body }, token)

/** Uploads a picture. The server also creates a small variant of it. */
export const uploadImageV2 = (body: FormData, token = ''): Promise<any> =>
  post('/api/Image/UploadImageV2', { body }, token)

/** Uploads a document from the field `file` of a form. */
export const uploadFile = (body: FormData, token = ''): Promise<any> =>
  post('/api/Image/UploadFile', { body }, token)

/** Uploads a file as a picture or a document, depending on its type. */
export async function uploadAttachment(
  file: File,
  token = '',
): Promise<{ message: string; success: boolean; url?: string }> {
  const isPicture = validImageFormats.includes(file.type)
  const isDocument = validDocumentFormats.includes(file.type) || /\.md$/i.test(file.name)
  if (!isPicture && !isDocument) return { message: 'Invalid File Format', success: false }
  const form = new FormData()
  form.set(isPicture ? 'image' : 'file', file)
  const result = await (isPicture ? uploadImage(form, token) : uploadFile(form, token))
  const url: string | undefined = result?.data
  if (!url) return { message: 'File Upload Failed', success: false }
  return { message: 'Upload Success', success: true, url }
}

/** Requests the size limits of the server; an empty object if the request is refused. */
export async function getUploadFileLimit(): Promise<any> {
  const response = await currentClient().fetch('/api/upload/limit')
  return response.ok ? response.json() : {}
}

/** Returns the URL of an upload on the server. With the format `small`, returns the URL of its small variant. */
export function GetFreeschemaImageUrl(url: string, format = ''): string {
  const name = fileName(url)
  const named = format === 'small' ? name.replace(/(\.[^.]*)?$/, '_small$1') : name
  return name ? `${currentClient().url}/uploads/${named}` : url
}

export const GetFreeschemaImage = async (url: string, format = ''): Promise<any> =>
  GetFreeschemaImageUrl(url, format)

/** Fetches an upload as a stream; undefined if it is refused. */
export async function GetImageApi(
  imageName: string,
): Promise<ReadableStream<Uint8Array> | null | undefined> {
  try {
    const response = await currentClient().fetch(
      `/uploads/${encodeURIComponent(fileName(imageName))}`,
    )
    return response.ok ? response.body : undefined
  } catch {
    return undefined
  }
}

const fileName = (address: string): string => address.replace(/[?#].*$/, '').replace(/^.*\//, '')

/** Sends a mail or, with `bulk`, a separate mail to each of many addresses. Resolves with the server's answer, or null. */
export function sendEmail(
  body: FormData | EmailBody | BulkEmailBody,
  token: string,
  bulk = false,
): Promise<any> {
  const path = bulk ? '/api/sendmail/bulk' : '/api/sendmail'
  if (body instanceof FormData) return post(path, { body }, token)
  const headers = { 'Content-Type': 'application/json' }
  return post(path, { headers, body: JSON.stringify(body) }, token)
}
