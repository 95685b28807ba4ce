import type { FieldData, SchemaData } from '../src/schema/index.ts'

/*
 * A simple model of typed records. It predicts which input a client refuses, which writes the server refuses, and which
 * rows a client with a version of the schema reads. It shares no code with the library.
 *
 * A store is a list of records and links. Each value of a part and each link has an identity. Two clients that write a
 * part at the same time both add a value, and each removes only the values that it has seen. The newest value counts.
 */

export type Stored = string | readonly Stored[] | { readonly [name: string]: Stored }
interface Value {
  readonly identity: number
  readonly stored: Stored
}
interface StoredRecord {
  readonly key: string
  readonly type: string
  /** The values of each part, oldest first. */
  readonly parts: ReadonlyMap<string, readonly Value[]>
}
interface StoredLink {
  readonly identity: number
  readonly connection: string
  readonly from: string
  readonly to: string
}

/**
 * A change of a store. A client computes it from the records that the client sees; the server applies it to its own
 * records.
 */
export interface Delta {
  readonly creates: readonly { readonly key: string; readonly type: string }[]
  /** Keys of the records that are found by their code, or else created. */
  readonly upserts: readonly string[]
  readonly removes: readonly string[]
  readonly adds: readonly { readonly key: string; readonly part: string; readonly value: Value }[]
  readonly increments: readonly {
    readonly key: string
    readonly part: string
    readonly identity: number
    readonly by: number
    /** Identities of the values that the client saw and replaces. */
    readonly replaces: readonly number[]
  }[]
  readonly links: readonly StoredLink[]
  /** Identities of removed values and links. */
  readonly drops: readonly number[]
}

export const noChange: Delta = {
  creates: [],
  upserts: [],
  removes: [],
  adds: [],
  increments: [],
  links: [],
  drops: [],
}

export const mergeDeltas = (a: Delta, b: Delta): Delta => ({
  creates: [...a.creates, ...b.creates],
  upserts: [...a.upserts, ...b.upserts],
  removes: [...a.removes, ...b.removes],
  adds: [...a.adds, ...b.adds],
  increments: [...a.increments, ...b.increments],
  links: [...a.links, ...b.links],
  drops: [...a.drops, ...b.drops],
})

let identities = 0
export const newIdentity = (): number => ++identities

/** The records and links that a server has or a client sees. */
export class ModelStore {
  readonly #records = new Map<string, StoredRecord>()
  #links: readonly StoredLink[] = []
  /** The records that upserts found, by the keys of their drafts. */
  readonly #found = new Map<string, string>()

  clone(): ModelStore {
    const copy = new ModelStore()
    for (const [key, record] of this.#records) copy.#records.set(key, record)
    for (const [key, found] of this.#found) copy.#found.set(key, found)
    copy.#links = this.#links
    return copy
  }

  records(type: string): readonly StoredRecord[] {
    return [...this.#records.values()].filter((record) => record.type === type)
  }

  record(key: string): StoredRecord | undefined {
    return this.#records.get(this.realKey(key))
  }

  realKey(key: string): string {
    return this.#found.get(key) ?? key
  }

  /** Returns the links between existing records, oldest first. */
  links(): readonly StoredLink[] {
    return this.#links.filter(({ from, to }) => this.#records.has(from) && this.#records.has(to))
  }

  apply(delta: Delta): void {
    const before = new Set(this.#records.keys())
    for (const { key, type } of delta.creates) {
      const isUpsert = delta.upserts.includes(key)
      const found = isUpsert ? this.#findByCode(type, codeIn(delta, key)) : undefined
      if (found) this.#found.set(key, found)
      else this.#records.set(key, { key, type, parts: new Map() })
    }
    for (const identity of delta.drops) this.#drop(identity)
    for (const key of delta.upserts)
      if (before.has(this.realKey(key)))
        for (const { part } of delta.adds.filter((add) => add.key === key))
          this.#setPart(key, part, [])
    for (const { key, part, value } of delta.adds)
      this.#setPart(key, part, [...this.values(key, part), value])
    for (const { key, part, identity, by } of delta.increments) {
      const stored = String(Number(newest(this.values(key, part)) ?? 0) + by)
      this.#setPart(key, part, [{ identity, stored }])
    }
    const links = delta.links.map(
      (link): StoredLink => ({
        ...link,
        from: this.realKey(link.from),
        to: this.realKey(link.to),
      }),
    )
    this.#links = [...this.#links, ...links].filter((l) => !delta.drops.includes(l.identity))
    for (const key of delta.removes) this.#records.delete(this.realKey(key))
  }

  values(key: string, part: string): readonly Value[] {
    return this.record(key)?.parts.get(part) ?? []
  }

  #findByCode(type: string, code: Stored | undefined): string | undefined {
    return this.records(type).find((r) => newest(r.parts.get('code') ?? []) === code)?.key
  }

  #drop(identity: number): void {
    for (const { key, parts } of this.#records.values())
      for (const [part, values] of parts)
        if (values.some((v) => v.identity === identity))
          this.#setPart(
            key,
            part,
            values.filter((v) => v.identity !== identity),
          )
  }

  #setPart(key: string, part: string, values: readonly Value[]): void {
    const record = this.record(key)
    if (!record) return
    const parts = new Map(record.parts).set(part, values)
    if (values.length === 0) parts.delete(part)
    this.#records.set(record.key, { ...record, parts })
  }
}

const newest = (values: readonly Value[]): Stored | undefined => values.at(-1)?.stored

const codeIn = (delta: Delta, key: string): Stored | undefined =>
  delta.adds.find((add) => add.key === key && add.part === 'code')?.value.stored

// ── Fields ──────────────────────────────────────────────────────────────────────────────────────────────────────────

const isLink = ({ kind }: FieldData): boolean => kind === 'one' || kind === 'many'

/** Encodes the input of a field. Adds the path and the rule of each value that does not fit to `refused`. */
export function encode(
  field: FieldData,
  input: unknown,
  path: string,
  refused: string[],
): Stored | undefined {
  const { kind } = field
  if (input === undefined || input === null) return undefined
  if (kind === 'list' && Array.isArray(input))
    return input.map((item, i) => {
      if (item === null || item === undefined) refused.push(`${path}.${i} kind`)
      return encode(itemOf(field), item, `${path}.${i}`, refused) ?? ''
    })
  if (kind === 'record' && typeof input === 'object' && !Array.isArray(input)) {
    const fields = Object.entries(field.fields ?? {}).map(([name, inner]) => {
      const value = (input as Record<string, unknown>)[name]
      return [name, encode(inner, value, `${path}.${name}`, refused)]
    })
    return Object.fromEntries(fields.filter(([, stored]) => stored !== undefined))
  }
  if (kind === 'integer' && Number.isSafeInteger(input)) return String(input)
  if (kind === 'boolean' && typeof input === 'boolean') return String(input)
  if ((kind === 'text' || kind === 'choice') && typeof input === 'string') return input
  refused.push(`${path} kind`)
  return undefined
}

const itemOf = (field: FieldData): FieldData => field.of as FieldData

const violates = (field: FieldData, stored: Stored | undefined): boolean =>
  violations(field, stored, '').length > 0

/** Returns the path and the rule of each violation in a stored value. */
export function violations(field: FieldData, stored: Stored | undefined, path: string): string[] {
  const { kind, required } = field
  if (stored === undefined)
    return required && field.default === undefined ? [`${path} required`] : []
  if (kind === 'list') {
    if (!isListOf(stored)) return [`${path} kind`]
    const items = Array.isArray(stored) ? (stored as Stored[]) : []
    const inner = items.flatMap((item, i) => violations(itemOf(field), item, `${path}.${i}`))
    const isMissing = required && items.length === 0
    return [...(isMissing ? [`${path} required`] : outside(field, items.length, path)), ...inner]
  }
  if (kind === 'record') {
    if (!isRecordOf(stored)) return [`${path} kind`]
    const parts = stored as Record<string, Stored>
    return Object.entries(field.fields ?? {}).flatMap(([name, inner]) =>
      violations(inner, parts[name], `${path}.${name}`),
    )
  }
  if (typeof stored !== 'string') return [`${path} kind`]
  if (kind === 'text')
    return required && stored === '' ? [`${path} required`] : outside(field, stored.length, path)
  if (decode(field, stored) === null) return [`${path} ${kind === 'choice' ? 'choices' : 'kind'}`]
  if (kind !== 'integer') return []
  if (field.unique && stored !== String(Number(stored))) return [`${path} kind`]
  return outside(field, Number(stored), path)
}

function outside(
  { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY }: FieldData,
  value: number,
  path: string,
): string[] {
  return value < Number(min) ? [`${path} min`] : value > Number(max) ? [`${path} max`] : []
}

const isEmpty = (stored: Stored): boolean => Object.keys(stored).length === 0
const isListOf = (stored: Stored): boolean =>
  typeof stored === 'object' && (Array.isArray(stored) || isEmpty(stored))
const isRecordOf = (stored: Stored): boolean =>
  typeof stored === 'object' && (!Array.isArray(stored) || isEmpty(stored))

/** Returns the value of a field in a row. A stored value of another kind reads as null, or as an empty list. */
function decode(field: FieldData, stored: Stored | undefined): unknown {
  const { kind } = field
  if (stored === undefined) return kind === 'list' ? [] : (field.default ?? null)
  if (kind === 'list') {
    if (!isListOf(stored) || !Array.isArray(stored)) return []
    return stored.map((item) => decode(itemOf(field), item)).filter((item) => item !== null)
  }
  if (kind === 'record') {
    if (!isRecordOf(stored)) return null
    const parts = stored as Record<string, Stored>
    const fields = Object.entries(field.fields ?? {})
    return Object.fromEntries(fields.map(([name, inner]) => [name, decode(inner, parts[name])]))
  }
  if (typeof stored !== 'string') return null
  if (kind === 'integer') return /^-?\d+(\.0)?$/.test(stored) ? Number(stored) : null
  if (kind === 'boolean') return stored === 'true' || (stored === 'false' ? false : null)
  if (kind === 'choice') return field.choices?.includes(stored) ? stored : null
  return stored
}

// ── Versions of the schema ──────────────────────────────────────────────────────────────────────────────────────────

export const fieldsOf = (version: SchemaData, type: string): [string, FieldData][] =>
  Object.entries(version.types[type]?.fields ?? {}).filter(([, field]) => !isLink(field))
export const linksOf = (version: SchemaData, type: string): [string, FieldData][] =>
  Object.entries(version.types[type]?.fields ?? {}).filter(([, field]) => isLink(field))

function fieldNamed(version: SchemaData, type: string, name: string): FieldData {
  const field = version.types[type]?.fields[name]
  if (!field) throw new Error(`${type} has no ${name}`)
  return field
}

/** Returns the type of a link's connections, and whether they lead to the record instead of from it. */
export function connectionOf(version: SchemaData, type: string, name: string) {
  const { inverse, targets, kind } = fieldNamed(version, type, name)
  const [target = ''] = targets ?? []
  if (inverse === undefined) return { connection: `${type} ${kind} ${name}`, isReverse: false }
  const far = version.types[target]?.fields[inverse]
  return { connection: `${target} ${far?.kind} ${inverse}`, isReverse: true }
}

/** Returns the newest value of a field: under its current name or, if there is none, under a former name. */
export function storedField(
  store: ModelStore,
  key: string,
  name: string,
  { was = [] }: FieldData,
): Stored | undefined {
  const part = [name, ...was].find((part) => store.values(key, part).length > 0)
  return part === undefined ? undefined : newest(store.values(key, part))
}

/** Returns the rows of a type as a client of a version reads them, by the keys of their records. */
export function rowsOf(store: ModelStore, version: SchemaData, type: string) {
  const row = ({ key }: StoredRecord) => {
    const fields = fieldsOf(version, type).map(([name, field]) => [
      name,
      decode(field, storedField(store, key, name, field)),
    ])
    const links = linksOf(version, type).map(([name, { kind }]) => {
      const far = farKeys(store, version, type, key, name)
      return [name, kind === 'one' ? (far.at(-1) ?? null) : [...new Set(far)].sort()]
    })
    return [key, Object.fromEntries([...fields, ...links])]
  }
  return Object.fromEntries(store.records(type).map(row))
}

/** Returns the keys of the records that a link leads to, the newest link last. */
function farKeys(
  store: ModelStore,
  version: SchemaData,
  type: string,
  key: string,
  name: string,
): string[] {
  const { connection, isReverse } = connectionOf(version, type, name)
  const real = store.realKey(key)
  return store
    .links()
    .filter((l) => l.connection === connection && (isReverse ? l.to : l.from) === real)
    .map((l) => (isReverse ? l.from : l.to))
}

/** Reports whether a server with a version of the schema refuses changes that it receives as one batch. */
export function isRefused(
  before: ModelStore,
  deltas: readonly Delta[],
  version: SchemaData,
): boolean {
  const after = before.clone()
  for (const delta of deltas) after.apply(delta)
  const delta = deltas.reduce(mergeDeltas, noChange)
  const removed = new Set(delta.removes.map((key) => after.realKey(key)))
  const exists = (key: string) => after.record(key) !== undefined || removed.has(after.realKey(key))
  const changed = [...delta.adds, ...delta.increments].map(({ key }) => key)
  const ends = delta.links.flatMap(({ from, to }) => [from, to])
  if (![...changed, ...ends].every(exists)) return true
  const touched = Object.keys(version.types).flatMap((type) => after.records(type))
  return touched.some((record) => {
    const isNew = before.record(record.key) === undefined
    return (
      violatesFields(before, after, delta, version, record, isNew) ||
      violatesLinks(before, after, delta, version, record, isNew)
    )
  })
}

function violatesFields(
  before: ModelStore,
  after: ModelStore,
  delta: Delta,
  version: SchemaData,
  { key, type }: StoredRecord,
  isNew: boolean,
): boolean {
  return fieldsOf(version, type).some(([name, field]) => {
    const parts = [name, ...(field.was ?? [])]
    const given = [...delta.adds, ...delta.increments]
      .filter((add) => after.realKey(add.key) === key && parts.includes(add.part))
      .map(({ part }) => newest(after.values(key, part)))
      .filter((stored) => stored !== undefined)
    if (given.some((stored) => isTaken(after, field, name, key, type, stored))) return true
    const now = violations(field, storedField(after, key, name, field), name)
    if (isNew) return now.length > 0
    // A client of an older version reads the value under a former name, so that value must fit too.
    if (given.some((stored) => violates(field, stored))) return true
    const isDropped = parts.some((part) =>
      before.values(key, part).some((v) => !after.values(key, part).includes(v)),
    )
    const earlier = violations(field, storedField(before, key, name, field), name)
    return isDropped && now.some((violation) => !earlier.includes(violation))
  })
}

/** Reports whether another record has a unique value, even if that record also has a newer value. */
function isTaken(
  store: ModelStore,
  field: FieldData,
  name: string,
  key: string,
  type: string,
  stored: Stored,
): boolean {
  if (!field.unique || stored === '') return false
  return store
    .records(type)
    .some(
      (other) =>
        other.key !== key &&
        [name, ...(field.was ?? [])].some((part) =>
          store.values(other.key, part).some((v) => v.stored === stored),
        ),
    )
}

function violatesLinks(
  before: ModelStore,
  after: ModelStore,
  delta: Delta,
  version: SchemaData,
  { key, type }: StoredRecord,
  isNew: boolean,
): boolean {
  return linksOf(version, type).some(([name, { kind, inverse, required }]) => {
    if (inverse !== undefined) return false
    const { connection } = connectionOf(version, type, name)
    const isOwn = (l: StoredLink) => l.connection === connection && after.realKey(l.from) === key
    const added = delta.links.filter((l) => isOwn(l) && !delta.drops.includes(l.identity)).length
    if (kind === 'one' && added > 1) return true
    if (!required || added > 0) return false
    const isDropped = before.links().some((l) => isOwn(l) && delta.drops.includes(l.identity))
    return (isNew || isDropped) && !after.links().some(isOwn)
  })
}
