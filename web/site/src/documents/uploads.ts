import { account } from '../account/client.ts'
import { requestJson } from '../request-json.ts'

/** An uploaded file. */
export interface Upload {
  /** A random name that cannot be guessed: any reader who knows the name can read the file. */
  readonly name: string
  /** The file name at the time of the upload. */
  readonly original: string
  /** The media type. */
  readonly kind: string
  /** In bytes. */
  readonly size: number
  /** In ISO 8601. */
  readonly created: string
}

/** The maximum number of files that are listed. */
export const maxListedUploads = 1_000

/** Lists the files of the signed-in user, newest first. */
export async function listUploads(): Promise<readonly Upload[]> {
  const all: Upload[] = []
  let cursor = ''
  do {
    const path = `/api/uploads?inpage=100&after=${encodeURIComponent(cursor)}`
    const page = await requestJson(path, undefined, account.fetch)
    const { uploads, next } = page as { uploads: readonly Partial<Upload>[]; next: string }
    for (const { name = '', original, kind = '', size = 0, created = '' } of uploads)
      all.push({ name, original: original || name, kind, size, created })
    cursor = next
  } while (cursor !== '' && all.length < maxListedUploads)
  return all.reverse()
}

export async function deleteUpload({ name }: Upload): Promise<void> {
  const path = `/api/uploads/${encodeURIComponent(name)}`
  await requestJson(path, { method: 'DELETE' }, account.fetch)
}

/** The sizes in bytes and the types of files that the server accepts. */
export interface UploadLimits {
  readonly maxImageSize: number
  readonly maxFileSize: number
  readonly imageTypes: readonly string[]
  readonly fileTypes: readonly string[]
}

export const fetchUploadLimits = async (): Promise<UploadLimits> =>
  (await requestJson('/api/upload/limit', undefined, account.fetch)) as UploadLimits
