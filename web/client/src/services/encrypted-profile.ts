import { getStoredProfile } from '../account/index.ts'
import { clearTabProfile, type TabProfile, tabProfile } from '../account/tab-profile.ts'

/** The members of a sign-in response, under `data`, that make up the profile of a tab. */
export interface SignInResult {
  readonly email?: string
  readonly userConcept?: number
  readonly entity?: readonly { readonly userId: number }[]
  readonly entityDetails?: { readonly id: number }
  readonly roles?: readonly string[]
}

/**
 * Keeps the profile of the signed-in user for this tab: encrypted in session storage, under `ccs_profile`, so that it
 * survives reloads. Tokens are not kept; pass them to `client.setToken`. The profile is kept in memory if session
 * storage is missing, or if the page is not served over HTTPS and therefore cannot encrypt.
 *
 * The profile is removed when, in any tab, the user of the account signs out, the session ends, or another user signs
 * in. Applications without an account call `clearTabProfile`.
 *
 * The encryption is weak: its key derives from the origin and the user agent, which every script of the page, and
 * anyone with access to the disk, can read. It only keeps names and addresses from being readable at a glance. Do not
 * store secrets here.
 */
export async function saveTabProfile(signedIn: SignInResult): Promise<TabProfile> {
  const profile = toTabProfile(signedIn)
  tabProfile.current = profile
  try {
    const text = await encrypt(JSON.stringify(profile))
    // The user may have signed out during the encryption.
    if (tabProfile.current === profile) sessionStorage.setItem(tabProfile.storageKey, text)
  } catch {}
  return profile
}

/**
 * Returns the profile that `saveTabProfile` kept for this tab, or else the profile that applications share in local
 * storage. Undefined if there is none. An unreadable stored profile is removed.
 */
export async function loadTabProfile(): Promise<TabProfile | undefined> {
  if (!tabProfile.current) {
    const loaded = await loadEncrypted()
    tabProfile.current ??= loaded
  }
  const shared = tabProfile.current ? undefined : getStoredProfile()
  return tabProfile.current ?? (shared && toTabProfile(shared))
}

const toTabProfile = ({
  email,
  userConcept,
  entity,
  entityDetails,
  roles,
}: SignInResult): TabProfile => ({
  email: email ?? '',
  userId: entity?.[0]?.userId ?? 0,
  userConcept: userConcept ?? 0,
  entityId: entityDetails?.id ?? 0,
  roles: roles ?? [],
})

async function loadEncrypted(): Promise<TabProfile | undefined> {
  const text = readItem()
  if (text === null) return undefined
  const profile = await decrypt(text)
    .then((json) => JSON.parse(json) as TabProfile)
    .catch(() => undefined)
  // The user may have signed in or out during the decryption.
  if (tabProfile.current || readItem() !== text) return undefined
  if (!profile) clearTabProfile()
  return profile
}

function readItem(): string | null {
  try {
    return sessionStorage.getItem(tabProfile.storageKey)
  } catch {
    return null
  }
}

/** Minimum lengths for PBKDF2 and AES-GCM, in bytes. */
const [saltBytes, ivBytes] = [16, 12]
/** Number of hash iterations that derive the key. The wire contract prescribes it. */
const keyIterations = 100_000

/** Encrypts text. Returns base64 of the salt, the initialisation vector and the ciphertext, concatenated. */
async function encrypt(text: string): Promise<string> {
  const salt = crypto.getRandomValues(new Uint8Array(saltBytes))
  const iv = crypto.getRandomValues(new Uint8Array(ivBytes))
  const key = await deriveKey(salt, 'encrypt')
  const data = new TextEncoder().encode(text)
  const encrypted = new Uint8Array(await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, data))
  return btoa(String.fromCharCode(...salt, ...iv, ...encrypted))
}

async function decrypt(text: string): Promise<string> {
  const all = Uint8Array.from(atob(text), (c) => c.charCodeAt(0))
  const iv = all.slice(saltBytes, saltBytes + ivBytes)
  const key = await deriveKey(all.slice(0, saltBytes), 'decrypt')
  const encrypted = all.slice(saltBytes + ivBytes)
  const data = await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, key, encrypted)
  return new TextDecoder().decode(data)
}

async function deriveKey(
  salt: Uint8Array<ArrayBuffer>,
  usage: 'encrypt' | 'decrypt',
): Promise<CryptoKey> {
  const secret = new TextEncoder().encode(location.origin + navigator.userAgent)
  const raw = await crypto.subtle.importKey('raw', secret, 'PBKDF2', false, ['deriveKey'])
  const derivation = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations: keyIterations }
  return crypto.subtle.deriveKey(derivation, raw, { name: 'AES-GCM', length: 256 }, false, [usage])
}
