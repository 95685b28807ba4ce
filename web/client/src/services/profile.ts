import { storedProfile } from '../account/index.ts'
import { forgetProfile, kept, type Person } from '../account/kept.ts'

/** What a server says of somebody who signs in, under `data`; its tokens are not looked at. */
export interface SignedIn {
  readonly email?: string
  readonly userConcept?: number
  readonly entity?: readonly { readonly userId: number }[]
  readonly entityDetails?: { readonly id: number }
  readonly roles?: readonly string[]
}

/**
 * Keeps who is signed in for this tab, also over a reload: encrypted in session storage, under `ccs_profile`. The
 * token is for the page to hold, as `client.setToken` does. Where the browser has no storage or, on a page that
 * did not come by HTTPS, no encryption, it is kept until the page ends. Who signs out of the account, or whose session
 * ends, in whatever tab, or who gives way to somebody else, is forgotten; without an account, by `forgetProfile`.
 *
 * The encryption hides little: its key is made from the origin and the browser's name, which every script of the
 * page can read as well, and so can whoever has the disk. It keeps names and addresses out of sight of those who
 * look at the storage only, or gather it. What must not be read does not belong there.
 */
export async function keepProfile(signedIn: SignedIn): Promise<Person> {
  const person = personOf(signedIn)
  kept.person = person
  try {
    const text = await encrypt(JSON.stringify(person))
    // Somebody may have signed out in the meantime.
    if (kept.person === person) sessionStorage.setItem(kept.name, text)
  } catch {}
  return person
}

/**
 * Who is signed in in this tab; else who is by the profile that applications share in local storage. What cannot
 * be read is removed.
 */
export async function keptProfile(): Promise<Person | undefined> {
  if (!kept.person) {
    const found = await stored()
    kept.person ??= found
  }
  const shared = kept.person ? undefined : storedProfile()
  return kept.person ?? (shared && personOf(shared))
}

const personOf = ({ email, userConcept, entity, entityDetails, roles }: SignedIn): Person => ({
  email: email ?? '',
  userId: entity?.[0]?.userId ?? 0,
  userConcept: userConcept ?? 0,
  entityId: entityDetails?.id ?? 0,
  roles: roles ?? [],
})

async function stored(): Promise<Person | undefined> {
  const text = read()
  if (text === null) return undefined
  const found = await decrypt(text)
    .then((json) => JSON.parse(json) as Person)
    .catch(() => undefined)
  // Somebody may have signed in, or out, in the meantime.
  if (kept.person || read() !== text) return undefined
  if (!found) forgetProfile()
  return found
}

function read(): string | null {
  try {
    return sessionStorage.getItem(kept.name)
  } catch {
    return null
  }
}

/** Lengths in bytes, as AES-GCM and PBKDF2 want them at least. */
const [saltLength, ivLength] = [16, 12]
/** How often the key is hashed: what the contract says. */
const iterations = 100_000

/** The salt, the initialisation vector and the encrypted text, one after the other in base64. */
async function encrypt(text: string): Promise<string> {
  const salt = crypto.getRandomValues(new Uint8Array(saltLength))
  const iv = crypto.getRandomValues(new Uint8Array(ivLength))
  const key = await keyOf(salt, 'encrypt')
  const data = new TextEncoder().encode(text)
  const hidden = new Uint8Array(await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, data))
  return btoa(String.fromCharCode(...salt, ...iv, ...hidden))
}

async function decrypt(text: string): Promise<string> {
  const all = Uint8Array.from(atob(text), (c) => c.charCodeAt(0))
  const iv = all.slice(saltLength, saltLength + ivLength)
  const key = await keyOf(all.slice(0, saltLength), 'decrypt')
  const hidden = all.slice(saltLength + ivLength)
  const data = await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, key, hidden)
  return new TextDecoder().decode(data)
}

async function keyOf(
  salt: Uint8Array<ArrayBuffer>,
  use: 'encrypt' | 'decrypt',
): Promise<CryptoKey> {
  const secret = new TextEncoder().encode(location.origin + navigator.userAgent)
  const raw = await crypto.subtle.importKey('raw', secret, 'PBKDF2', false, ['deriveKey'])
  const how = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations }
  return crypto.subtle.deriveKey(how, raw, { name: 'AES-GCM', length: 256 }, false, [use])
}
