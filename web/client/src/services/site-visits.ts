import type { Client } from '../api.ts'
import { jsonRequest, request } from './service-request.ts'

/** A visitor's session, as a site reports it. Unknown members are ''. */
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

/** Reports a visitor's session at another site. Resolves with the id of the session, for `recordVisit`. */
export async function createSiteSession(
  client: Client,
  session: Partial<SiteSession> = {},
): Promise<number> {
  const init = jsonRequest({ id: '0', ...emptySession, ...session })
  const { id } = await request<{ id: number }>(client, '/api/create-session-id-remote', init)
  return Number(id)
}

/** Reports the visit of a page in a session. Resolves with the id of the visit. */
export async function recordVisit(client: Client, session: number, url: string): Promise<number> {
  const body = new URLSearchParams({ sessionId: String(session), url })
  const path = '/api/create-remote-session-visit'
  const { id } = await request<{ id: number }>(client, path, { method: 'POST', body })
  return Number(id)
}

const emptySession: SiteSession = {
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
