export { type Account, createAccount, type Newcomer, type Place } from './account.ts'
export { keepSigned } from './keep-signed.ts'
export { type Profile, storedProfile, watchProfile } from './profile.ts'
