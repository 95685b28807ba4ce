/*
 * Removes secrets from log entries and limits their size.
 *
 * A member is redacted if its name is that of a secret. A string is redacted if it contains a known form of a secret.
 * If a value contains any secret, a second pass also redacts e-mail addresses and user names, which would reveal the
 * owner of the secret.
 */

/** Maximum number of characters of a value including its members, and of a string that is searched for secrets. */
const maxCharacters = 8_000
/** Maximum number of characters kept of one string. */
const maxTextCharacters = 4_000
/** Maximum depth of nested objects. */
const maxDepth = 12

const redacted = '[redacted]'
const clipped = '[clipped]'

/** Names of secrets. The server redacts by a similar list, in Go's package `clientlog`. */
const secret =
  '(?:pass(?:word|wd|phrase|code)|pwd|secret|token|authorization|api[-_ ]?key|cookie|credential|private[-_ ]?key|captcha)'
const secretName = RegExp(secret, 'i')
const signInName = /log_?in|sign_?(?:in|up)|register|authenticat/i
/** Names of members that identify the owner of a secret next to them. */
const ownerName = /mail|^user(_?name)?$|^login$/i

/** Forms of secrets in text, each with its replacement. */
const secretPatterns: readonly (readonly [RegExp, string])[] = [
  [/\b(bearer|basic)(\s+|%20|\+)[\w.~+/=-]{4,}/gi, `$1 ${redacted}`],
  [/\b(?:eyJ[\w-]{5,}(?:\.[\w-]*){0,2}|weft_[\w-]{20,})/g, redacted],
  [/([?&#](?:code|key|auth|sig)=)[^&#\s"']+/gi, `$1${redacted}`],
  [/(:\/\/[^\s/:@]{0,100}:)[^\s/@]+@/g, `$1${redacted}@`],
  // A name and a value: in plain text, in JSON, in JSON inside a JSON string, or in a URL.
  [
    RegExp(
      String.raw`(${secret}[\w-]{0,40}(?:\\{0,8}["']|%22)?\s{0,9}(?:[:=]|%3[ad])\s{0,9})` +
        String.raw`(?:"(?:[^"\\]|\\.)*"?|\\+"(?:[^"\\]|\\+[^"\\])*\\*"?|'[^']*'?|[^\s&,;{}\[\]"']+)`,
      'gi',
    ),
    `$1${redacted}`,
  ],
]
const mailPattern = /[\w.+-]{1,64}(?:@|%40)[\w-]{1,64}(?:\.[\w-]{1,64})+/g

/**
 * Redacts the secrets in `text` and clips it. Also redacts e-mail addresses if `text` is about signing in or contains
 * the name of a secret, or if `hidesOwner` is set.
 */
export function redactText(text: string, hidesOwner = false): string {
  let clean = text.slice(0, maxCharacters)
  for (const [pattern, replacement] of secretPatterns) clean = clean.replace(pattern, replacement)
  if (hidesOwner || secretName.test(clean) || signInName.test(clean))
    clean = clean.replace(mailPattern, redacted)
  return clean.length > maxTextCharacters ? clean.slice(0, maxTextCharacters) + clipped : clean
}

/** Converts any value to plain data of limited size that has a JSON form and contains no secrets. */
export function redactValue(value: unknown): unknown {
  const redactor = new Redactor(false)
  const clean = redactor.redact(value)
  return redactor.foundSecret ? new Redactor(true).redact(value) : clean
}

type Members = Readonly<Record<string, unknown>>

class Redactor {
  foundSecret = false
  readonly #hidesOwner: boolean
  #charactersLeft = maxCharacters
  /** The objects that contain the current value. */
  readonly #ancestors: object[] = []

  constructor(hidesOwner: boolean) {
    this.#hidesOwner = hidesOwner
  }

  redact(value: unknown): unknown {
    this.#charactersLeft -= 8
    if (this.#charactersLeft < 0) return clipped
    if (typeof value === 'string') return this.#redactText(value)
    if (typeof value === 'bigint') return `${value}`
    if (typeof value !== 'object' || value === null) return value
    if (this.#ancestors.includes(value)) return '[circular]'
    if (this.#ancestors.length === maxDepth || ArrayBuffer.isView(value)) return clipped
    this.#ancestors.push(value)
    try {
      return Array.isArray(value) ? this.#redactList(value) : this.#redactObject(value)
    } catch {
      // Getters and `toJSON` are code of the application, which may throw.
      return 'Error while serializing value'
    } finally {
      this.#ancestors.pop()
    }
  }

  /** Redacts JSON text member by member, because more secrets are recognisable there. */
  #redactText(text: string): string {
    let clean: string | undefined
    if (/^\s*[{[]/.test(text) && text.length <= maxCharacters) {
      try {
        clean = JSON.stringify(this.redact(JSON.parse(text)))
      } catch {}
    }
    clean ??= redactText(text, this.#hidesOwner).slice(0, this.#charactersLeft)
    this.#charactersLeft -= clean.length
    return clean
  }

  #redactList(list: readonly unknown[]): unknown[] {
    const [name, value] = list
    // Headers and form fields are often listed as pairs of name and value.
    if (list.length === 2 && typeof value === 'string' && this.#isSecret(name))
      return [name, redacted]
    return list.slice(0, maxCharacters / 8).map((item) => this.redact(item))
  }

  #redactObject(object: object): unknown {
    const { name, functionName, nodeName, toJSON, message, stack, cause } = object as Members
    if (nodeName) return `<${nodeName}>`
    if (typeof toJSON === 'function') return this.redact(toJSON.call(object))
    const isNamedSecret = this.#isSecret(name)
    const isSignIn = signInName.test(`${functionName}`) || this.#isSecret(functionName)
    const clean: [string, unknown][] = []
    // The members of an error are not enumerable.
    const members = stack ? { message, stack, cause, ...object } : object
    for (const [key, value] of Object.entries(members)) {
      if (this.#charactersLeft < 0) break
      this.#charactersLeft -= key.length
      const isHidden =
        this.#isSecret(key) ||
        (isNamedSecret && key === 'value') ||
        (isSignIn && key === 'functionParameters') ||
        (this.#hidesOwner && ownerName.test(key))
      clean.push([key.slice(0, 100), isHidden ? redacted : this.redact(value)])
    }
    return Object.fromEntries(clean)
  }

  /** Reports whether a name is that of a secret. If it is, the second pass will also hide the owner. */
  #isSecret(name: unknown): boolean {
    const isSecret = typeof name === 'string' && secretName.test(name)
    this.foundSecret ||= isSecret
    return isSecret
  }
}
