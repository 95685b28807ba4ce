export {
  type AccountClient,
  createAccountClient,
  type NewAccount,
  type SessionInfo,
} from './account.ts'
export { keepClientSignedIn } from './keep-client-signed-in.ts'
export { getStoredProfile, onProfileChange, type Profile } from './stored-profile.ts'
