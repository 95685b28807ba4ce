import type { Client } from '../api.ts'
import { ask, json } from './call.ts'

/** What a site says of a visitor's session there. What is not known is ''. */
export interface SiteSession {
  readonly remote_address: string
  readonly server_port: string
  readonly server_address: string
  readonly server_name: string
  readonly server_software: string
  readonly http_user_agent: string
  readonly self: string
  readonly port: string
  readonly userId: string
  readonly email: string
}

/** Announces a session at a site. Resolves with its id, for the visits in it. */
export async function createSession(
  client: Client,
  session: Partial<SiteSession> = {},
): Promise<number> {
  const body = json({ id: '0', ...unknown, ...session })
  const { id } = await ask<{ id: number }>(client, '/api/create-session-id-remote', body)
  return Number(id)
}

/** Announces that a page was visited in a session. Resolves with the id of the visit. */
export async function createVisit(client: Client, session: number, url: string): Promise<number> {
  const body = new URLSearchParams({ sessionId: String(session), url })
  const visit = { method: 'POST', body }
  const { id } = await ask<{ id: number }>(client, '/api/create-remote-session-visit', visit)
  return Number(id)
}

const unknown: SiteSession = {
  remote_address: '',
  server_port: '',
  server_address: '',
  server_name: '',
  server_software: '',
  http_user_agent: '',
  self: '',
  port: '',
  userId: '',
  email: '',
}
