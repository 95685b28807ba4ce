import { WeftError } from '@weft/client'
import { createSiteSession, recordVisit } from '@weft/client/services'
import { FreeschemaError, orFallback, orThrow } from './errors.ts'
import type { FreeschemaResponse, SigninModel, SignupModel } from './model/accounts.ts'
import type { SessionData } from './model/records.ts'
import { currentClient, currentInternals, TokenStorage, updateAccessToken } from './start.ts'

/*
 * The requests of `accounts.ts`, which loads them on the first use. Results have the shapes of the wire contract. A
 * refused sign-in rejects with the server's message, which is meant for the user.
 */

/** Posts JSON without a token, as sign-in and sign-up do. */
async function postPublic(path: string, body: unknown): Promise<{ status: number; json: any }> {
  const { url } = currentClient()
  try {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    const json = await response.json().catch(() => ({}))
    return { status: response.status, json }
  } catch (e) {
    throw new FreeschemaError(new WeftError('unavailable', String((e as Error).message), e), path)
  }
}

/** Returns the error for a refused sign-in or sign-up. */
function refusal(status: number, json: any, path: string): FreeschemaError {
  const message = json?.statusText || json?.message || ''
  const kind = status === 401 ? 'unauthorized' : status === 500 ? 'internal' : 'invalid'
  return new FreeschemaError(new WeftError(kind, message, status), path)
}

const isThrown = (status: number): boolean => [401, 406, 429, 500].includes(status)

/** Signs in and uses the token from then on. Resolves with the server's answer. */
export async function LoginToBackend(
  email: string,
  password: string,
  application = 'boomconsole.com',
): Promise<any> {
  const path = '/api/auth/login'
  const { status, json } = await postPublic(path, { email, password, application })
  if (isThrown(status)) throw refusal(status, json, path)
  const data = json?.data
  if (data?.token) {
    TokenStorage.refreshToken = data.refreshtoken ?? ''
    updateAccessToken(data.token)
  }
  return json
}

/** Signs in without using the token. */
export async function Signin(signinInfo: SigninModel): Promise<FreeschemaResponse | undefined> {
  const { email, password } = signinInfo
  return wrapped('/api/auth/login', { email, password }, (json) => json?.data, '')
}

/** Creates an account. */
export const Signup = (signupModel: SignupModel): Promise<FreeschemaResponse | undefined> =>
  wrapped('/api/auth/signup', signupModel, (json) => json, 'cannot signup')

async function wrapped(
  path: string,
  body: unknown,
  read: (json: any) => any,
  failed: string,
): Promise<FreeschemaResponse> {
  const { status, json } = await postPublic(path, body)
  if (isThrown(status)) throw refusal(status, json, path)
  const ok = status >= 200 && status < 300
  const data = ok ? read(json) : failed
  return { message: 'success', status: ok, statusCode: 200, data }
}

/** Creates an account with a user name or a full name. Rejects with the server's message. */
export async function SignupEntity(signupData: any): Promise<any> {
  const { status, json } = await postPublic('/api/v1/entity/signup', signupData)
  if (status === 404) throw new Error('404, Not found')
  if (status === 500) throw new Error('500, internal server error')
  if (status >= 300) throw new Error(json?.message || `the server responded with ${status}`)
  return json
}

/** Deletes the account of the signed-in user, given by its concept. */
export async function DeleteUser(id: number): Promise<any> {
  const path = `/api/deleteuser?conceptId=${currentInternals().graph.real(id)}&apiKey=freeschema`
  const response = await orThrow(currentInternals().http.fetchWithToken(path, { method: 'POST' }))
  if (!response.ok) throw refusal(response.status, await readJson(response), path)
  return readJson(response)
}

const readJson = (response: Response): Promise<any> => response.json().catch(() => ({}))

/** Reports a visitor's session at another site. */
export async function CreateSession(sessionData: SessionData): Promise<any> {
  const { id: _, ...session } = sessionData
  const data = await orFallback(createSiteSession(currentClient(), session), null)
  return data === null ? null : { data }
}

/** Reports the visit of a page in a session. */
export async function CreateSessionVisit(sessionId: number, url: string): Promise<any> {
  const data = await orFallback(recordVisit(currentClient(), sessionId, url), null)
  return data === null ? null : { data }
}
