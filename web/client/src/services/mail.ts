import type { Client } from '../api.ts'
import { jsonRequest, request } from './service-request.ts'

export interface MailContent {
  readonly heading: string
  /** Text or HTML. */
  readonly body?: string
  /** Files, and URLs of the user's own uploads. */
  readonly attachments?: readonly (File | string)[]
}

export interface Mail extends MailContent {
  readonly toAddress: string
}

/** A mail to many addresses. Each address receives a separate message, which does not show the other addresses. */
export interface BulkMail extends MailContent {
  readonly ccAddresses: readonly string[]
  /** A further recipient, treated like one of `ccAddresses`. */
  readonly toAddress?: string
}

/**
 * Sends a mail, or a form with the same fields. Resolves with the id of the mail once the server has queued it. Rejects
 * with a WeftError that has the server's message.
 */
export const sendMail = (client: Client, mail: Mail | FormData): Promise<string> =>
  postMail(client, '/api/sendmail', mail)

/** Sends a mail to many addresses, as `sendMail` does to one. */
export const sendBulkMail = (client: Client, mail: BulkMail | FormData): Promise<string> =>
  postMail(client, '/api/sendmail/bulk', mail)

async function postMail(
  client: Client,
  path: string,
  mail: Mail | BulkMail | FormData,
): Promise<string> {
  const { data } = await request<{ data: { id: string } }>(client, path, encodeMail(mail))
  return data?.id ?? ''
}

/** Encodes a mail as JSON, or as a form if it has files. The browser sets the content type of a form itself. */
function encodeMail(mail: Mail | BulkMail | FormData): RequestInit {
  if (mail instanceof FormData) return { method: 'POST', body: mail }
  return mail.attachments?.some((item) => item instanceof File)
    ? { method: 'POST', body: toForm(mail) }
    : jsonRequest(mail)
}

function toForm(mail: Mail | BulkMail): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(mail) as [string, FieldValue | undefined][]) {
    for (const item of [value ?? []].flat()) form.append(name, item)
  }
  return form
}

type FieldValue = string | readonly (File | string)[]
