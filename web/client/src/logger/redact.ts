/** The most characters of a value with all that is inside it, and of a text that is looked at. */
const room = 8_000
/** The most characters that are kept of a text. */
const longest = 4_000
const deepest = 12

const redacted = '[redacted]'
const clipped = '[clipped]'

/** What secrets are called, the same as where servers keep logs. */
const secret =
  '(?:pass(?:word|wd|phrase|code)|pwd|secret|token|authorization|api[-_ ]?key|cookie|credential|private[-_ ]?key|captcha)'
const secretName = RegExp(secret, 'i')
const login = /log_?in|sign_?(?:in|up)|register|authenticat/i
/** What says beside a secret who it is of. */
const whose = /mail|^user(_?name)?$|^login$/i

/** Each finds secrets in a text, and is what stays of them. */
const patterns: readonly (readonly [RegExp, string])[] = [
  [/\b(bearer|basic)(\s+|%20|\+)[\w.~+/=-]{4,}/gi, `$1 ${redacted}`],
  [/\b(?:eyJ[\w-]{5,}(?:\.[\w-]*){0,2}|weft_[\w-]{20,})/g, redacted],
  [/([?&#](?:code|key|auth|sig)=)[^&#\s"']+/gi, `$1${redacted}`],
  [/(:\/\/[^\s/:@]{0,100}:)[^\s/@]+@/g, `$1${redacted}@`],
  // A name and a value, also where they are JSON in a text, or JSON in JSON, or in an address.
  [
    RegExp(
      String.raw`(${secret}[\w-]{0,40}(?:\\{0,8}["']|%22)?\s{0,9}(?:[:=]|%3[ad])\s{0,9})` +
        String.raw`(?:"(?:[^"\\]|\\.)*"?|\\+"(?:[^"\\]|\\+[^"\\])*\\*"?|'[^']*'?|[^\s&,;{}\[\]"']+)`,
      'gi',
    ),
    `$1${redacted}`,
  ],
]
const mail = /[\w.+-]{1,64}(?:@|%40)[\w-]{1,64}(?:\.[\w-]{1,64})+/g

/** A text without what looks like a secret, cut to size. E-mails stay unless it is about somebody's secrets. */
export function redact(text: string, hides = false): string {
  let clean = text.slice(0, room)
  for (const [pattern, instead] of patterns) clean = clean.replace(pattern, instead)
  if (hides || secretName.test(clean) || login.test(clean)) clean = clean.replace(mail, redacted)
  return clean.length > longest ? clean.slice(0, longest) + clipped : clean
}

/** Whatever it is, as plain data without secrets and of limited size, that has a JSON form. */
export function plain(value: unknown): unknown {
  const cleaner = new Cleaner(false)
  const clean = cleaner.value(value)
  return cleaner.found ? new Cleaner(true).value(value) : clean
}

type Fields = Readonly<Record<string, unknown>>

class Cleaner {
  /** Says whether there is a secret, so that it is to be hidden whose it is. */
  found = false
  readonly #hides: boolean
  #room = room
  /** The objects around the one at work. */
  readonly #around: object[] = []

  constructor(hides: boolean) {
    this.#hides = hides
  }

  value(value: unknown): unknown {
    this.#room -= 8
    if (this.#room < 0) return clipped
    if (typeof value === 'string') return this.#text(value)
    if (typeof value === 'bigint') return `${value}`
    if (typeof value !== 'object' || value === null) return value
    if (this.#around.includes(value)) return '[circular]'
    if (this.#around.length === deepest || ArrayBuffer.isView(value)) return clipped
    this.#around.push(value)
    try {
      return Array.isArray(value) ? this.#list(value) : this.#object(value)
    } catch {
      // Whatever is asked for may run code of the application.
      return 'Error while serializing value'
    } finally {
      this.#around.pop()
    }
  }

  /** A text that is JSON is taken apart: more secrets are to be known in it. */
  #text(text: string): string {
    let clean: string | undefined
    if (/^\s*[{[]/.test(text) && text.length <= room) {
      try {
        clean = JSON.stringify(this.value(JSON.parse(text)))
      } catch {}
    }
    clean ??= redact(text, this.#hides).slice(0, this.#room)
    this.#room -= clean.length
    return clean
  }

  #list(list: readonly unknown[]): unknown[] {
    const [name, value] = list
    // As headers and forms are listed.
    if (list.length === 2 && typeof value === 'string' && this.#secret(name))
      return [name, redacted]
    return list.slice(0, room / 8).map((one) => this.value(one))
  }

  #object(object: object): unknown {
    const { name, functionName, nodeName, toJSON, message, stack, cause } = object as Fields
    if (nodeName) return `<${nodeName}>`
    if (typeof toJSON === 'function') return this.value(toJSON.call(object))
    const named = this.#secret(name)
    const signsIn = login.test(`${functionName}`) || this.#secret(functionName)
    const clean: [string, unknown][] = []
    // What an error says of itself is not among its own members.
    const members = stack ? { message, stack, cause, ...object } : object
    for (const [key, value] of Object.entries(members)) {
      if (this.#room < 0) break
      this.#room -= key.length
      const hidden =
        this.#secret(key) ||
        (named && key === 'value') ||
        (signsIn && key === 'functionParameters') ||
        (this.#hides && whose.test(key))
      clean.push([key.slice(0, 100), hidden ? redacted : this.value(value)])
    }
    return Object.fromEntries(clean)
  }

  /** Says whether it is the name of a secret. */
  #secret(name: unknown): boolean {
    const secret = typeof name === 'string' && secretName.test(name)
    this.found ||= secret
    return secret
  }
}
