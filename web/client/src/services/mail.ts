import type { Client } from '../api.ts'
import { ask, json } from './call.ts'

/** What a mail says. */
export interface Letter {
  readonly heading: string
  /** Text or HTML. */
  readonly body?: string
  /** Files, and addresses of one's own uploads. */
  readonly attachments?: readonly (File | string)[]
}

export interface Mail extends Letter {
  readonly toAddress: string
}

/** Each of the addresses gets a mail of its own and sees no other. */
export interface BulkMail extends Letter {
  readonly ccAddresses: readonly string[]
  readonly toAddress?: string
}

/**
 * Sends a mail, or a form that has the same fields. Resolves, once the server has promised to send it, with the
 * mail's id at the server. Rejects with a WeftError in the server's words.
 */
export const sendMail = (client: Client, mail: Mail | FormData): Promise<string> =>
  send(client, '/api/sendmail', mail)

/** Sends a mail to many, as sendMail does. */
export const sendBulkMail = (client: Client, mail: BulkMail | FormData): Promise<string> =>
  send(client, '/api/sendmail/bulk', mail)

async function send(
  client: Client,
  path: string,
  mail: Mail | BulkMail | FormData,
): Promise<string> {
  const { data } = await ask<{ data: { id: string } }>(client, path, requestOf(mail))
  return data?.id ?? ''
}

/** Only the browser knows the boundary of a form, so nothing is said of its type. */
function requestOf(mail: Mail | BulkMail | FormData): RequestInit {
  if (mail instanceof FormData) return { method: 'POST', body: mail }
  return mail.attachments?.some((one) => one instanceof File)
    ? { method: 'POST', body: formOf(mail) }
    : json(mail)
}

function formOf(mail: Mail | BulkMail): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(mail) as [string, Field | undefined][]) {
    for (const one of [value ?? []].flat()) form.append(name, one)
  }
  return form
}

type Field = string | readonly (File | string)[]
