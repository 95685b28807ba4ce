import { init, LoginToBackend, Signup, updateAccessToken } from 'mftsccs-browser'

/*
 * Signs in as applications of the wire contract do: the profile is kept in local storage, and its token is passed to
 * `init`.
 */

const server = new URLSearchParams(location.search).get('server') ?? location.origin

export const profile = () => JSON.parse(localStorage.getItem('profile') ?? 'null')

export async function open(application, ...more) {
  await init(server, '', profile()?.token ?? '', server, false, application, ...more)
}

export async function register(email, password) {
  const answer = await Signup({ email, password })
  if (!answer.status) throw new Error('This address has an account, or the password is too short')
}

export async function logIn(email, password) {
  const { data } = await LoginToBackend(email, password)
  const { token, refreshtoken, entity, userConcept, entityDetails } = data
  const user = { email, userId: entity[0].userId, userConcept, entityId: entityDetails.id }
  localStorage.setItem('profile', JSON.stringify({ token, refreshToken: refreshtoken, ...user }))
  updateAccessToken(token)
}

export function logOut() {
  localStorage.removeItem('profile')
  location.reload()
}
