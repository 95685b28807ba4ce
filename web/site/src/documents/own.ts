import { WeftError } from '@weft/client'
import { account } from '../account/own.ts'

/** A file that somebody has uploaded. */
export interface Upload {
  /** Unguessable: who knows it may read the file. */
  readonly name: string
  readonly original: string
  readonly kind: string
  /** In bytes. */
  readonly size: number
  readonly created: string
}

/** How many files are listed at most. */
export const most = 1_000

/** One's own files, the newest first. */
export async function ownUploads(): Promise<readonly Upload[]> {
  const all: Upload[] = []
  let after = ''
  do {
    const page = await said(`/api/uploads?inpage=100&after=${encodeURIComponent(after)}`)
    const { uploads, next } = page as { uploads: readonly Partial<Upload>[]; next: string }
    for (const { name = '', original, kind = '', size = 0, created = '' } of uploads)
      all.push({ name, original: original || name, kind, size, created })
    after = next
  } while (after !== '' && all.length < most)
  return all.reverse()
}

export const removeUpload = async ({ name }: Upload): Promise<void> =>
  void (await said(`/api/uploads/${encodeURIComponent(name)}`, { method: 'DELETE' }))

/** What may be uploaded, as the server says it. */
export interface Limits {
  readonly maxImageSize: number
  readonly maxFileSize: number
  readonly imageTypes: readonly string[]
  readonly fileTypes: readonly string[]
}

export const limitsOfServer = async (): Promise<Limits> =>
  (await said('/api/upload/limit')) as Limits

async function said(path: string, init?: RequestInit): Promise<unknown> {
  const answer = await account.fetch(path, init)
  const json: unknown = await answer.json().catch(() => ({}))
  if (answer.ok) return json
  const { message = `the server answered ${answer.status}` } = json as { message?: string }
  throw new WeftError(answer.status === 401 ? 'unauthorized' : 'invalid', message)
}
