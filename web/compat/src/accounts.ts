import type { FreeschemaResponse, SigninModel, SignupModel } from './model/accounts.ts'
import type { SessionData } from './model/records.ts'
import { TokenStorage } from './start.ts'

/*
 * Accounts, the profile of the user, and the sessions of visitors.
 */

const load = () => import('./account-requests.ts')

/** Signs in and uses the token from then on. Resolves with the server's answer. */
export const LoginToBackend = async (
  email: string,
  password: string,
  application?: string,
): Promise<any> => (await load()).LoginToBackend(email, password, application)

/** Signs in without using the token. */
export const Signin = async (signinInfo: SigninModel): Promise<FreeschemaResponse | undefined> =>
  (await load()).Signin(signinInfo)

/** Creates an account. */
export const Signup = async (signupModel: SignupModel): Promise<FreeschemaResponse | undefined> =>
  (await load()).Signup(signupModel)

/** Creates an account with a user name or a full name. Rejects with the server's message. */
export const SignupEntity = async (signupData: any): Promise<any> =>
  (await load()).SignupEntity(signupData)

/** Deletes the account of the signed-in user, given by its concept. */
export const DeleteUser = async (id: number): Promise<any> => (await load()).DeleteUser(id)

/** Reports a visitor's session at another site. */
export const CreateSession = async (sessionData: SessionData): Promise<any> =>
  (await load()).CreateSession(sessionData)

/** Reports the visit of a page in a session. */
export const CreateSessionVisit = async (sessionId: number, url: string): Promise<any> =>
  (await load()).CreateSessionVisit(sessionId, url)

/**
 * Returns the profile that the application stored in local storage. Unknown members are 0. Without a stored token,
 * returns the current one.
 */
export function getUserDetails(): {
  entity: number
  userConcept: number
  userId: number
  token: string
} {
  const { entityId, userConcept, userId, token } = storedProfile()
  return {
    entity: Number(entityId) || 0,
    userConcept: Number(userConcept) || 0,
    userId: Number(userId) || 0,
    token: token || TokenStorage.BearerAccessToken,
  }
}

/** Returns the profile of this tab, which is kept encrypted, or else the profile that the application stored. */
export async function getUserDetailsAsync(): Promise<{
  entity: any
  userConcept: any
  userId: any
  token: any
  roles: any
}> {
  const profile: any = await TokenStorage.restoreProfile()
  const stored = storedProfile()
  if (!profile) return { ...getUserDetails(), roles: [] }
  return {
    entity: profile.entityId,
    userConcept: profile.userConcept,
    userId: profile.userId,
    token: TokenStorage.BearerAccessToken || stored.token || '',
    roles: profile.roles ?? [],
  }
}

/** Reads the profile that applications of the wire contract keep in local storage. */
function storedProfile(): any {
  try {
    const profile = JSON.parse(localStorage.getItem('profile') ?? '{}') ?? {}
    const { entity, entityDetails } = profile
    return { userId: entity?.[0]?.userId, entityId: entityDetails?.id, ...profile }
  } catch {
    return {}
  }
}
