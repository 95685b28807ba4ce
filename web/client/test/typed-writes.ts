import type { Id } from '../src/index.ts'
import type { FieldData, SchemaData } from '../src/schema/index.ts'
import { type Dice, randomInput, randomParts } from './typed-dice.ts'
import {
  connectionOf,
  type Delta,
  encode,
  fieldsOf,
  linksOf,
  type ModelStore,
  mergeDeltas,
  newIdentity,
  noChange,
  type Stored,
  storedField,
  violations,
} from './typed-model.ts'
import type { Action, AnyWriter, Fields, User } from './typed-user.ts'

/** Random writes of clients, and their effects in the model. */
export class RandomWrites {
  readonly #dice: Dice
  readonly #versions: readonly SchemaData[]
  readonly #thing: string
  readonly #team: string
  /** Returns the id of a record, by its key, as a client uses it. */
  readonly #idOf: (user: User, key: string) => Id
  #count = 0

  constructor(dice: Dice, versions: readonly SchemaData[], idOf: (user: User, key: string) => Id) {
    const [thing = '', team = ''] = Object.keys(versions[0]?.types ?? {})
    this.#dice = dice
    this.#versions = versions
    this.#thing = thing
    this.#team = team
    this.#idOf = idOf
  }

  /** Returns a new key, which begins with a letter for the type. */
  newKey(letter: string): string {
    return `${letter}${++this.#count}`
  }

  /** Returns a random write; undefined if none is possible. */
  next(user: User, view: ModelStore, inTransaction = false): Action | undefined {
    const things = view.records(this.#thing)
    const teams = view.records(this.#team)
    const thing = things.length > 0 ? this.#dice.pick(things).key : undefined
    const team = teams.length > 0 ? this.#dice.pick(teams).key : undefined
    const choice = this.#dice.roll(20)
    if (choice < 2 || (!team && choice < 10)) return this.#create(user, view, this.#team)
    if (choice < 6 || !thing) return this.#create(user, view, this.#thing)
    if (choice < 9) return this.#update(user, view, this.#thing, thing)
    if (choice === 9 && team) return this.#update(user, view, this.#team, team)
    if (choice < 11)
      return isRemovedNumber(user, view, thing, inTransaction)
        ? undefined
        : this.#increment(user, view, thing)
    if (choice < 15) return this.#changeLink(user, view, this.#thing, thing)
    if (choice === 15 && team) return this.#changeLink(user, view, this.#team, team)
    if (inTransaction) return undefined
    if (choice === 16) return this.#upsert(user, view)
    if (choice === 17) return this.#createRaw(user)
    if (choice === 18) return this.#updateRaw(user, view, thing)
    const removed = team && this.#dice.once(3) ? team : thing
    return this.#remove(user, view, removed)
  }

  /** Returns random fields and links of a type. */
  #input(user: User, view: ModelStore, type: string): Record<string, unknown> {
    const input: Record<string, unknown> = {}
    for (const [name, field] of fieldsOf(user.version, type)) {
      if (name === 'code') {
        const code = this.#freeCode(view)
        if (this.#dice.once(2)) input[name] = code
      } else if (this.#dice.roll(3) > 0) input[name] = this.#uniqueInput(view, type, name, field)
    }
    for (const [name, field] of linksOf(user.version, type)) {
      const far = view.records(field.targets?.[0] ?? '').map(({ key }) => key)
      if (far.length === 0 || field.inverse !== undefined || this.#dice.once(3)) continue
      input[name] =
        field.kind === 'one' ? this.#dice.pick(far) : far.filter(() => this.#dice.once(2))
    }
    if (this.#dice.once(30)) Object.assign(input, { other: 'x' })
    return input
  }

  /**
   * Returns an input of a unique field that the client has not used yet. Otherwise the order of its writes would decide
   * which write is refused.
   */
  #uniqueInput(view: ModelStore, type: string, name: string, field: FieldData): unknown {
    const input = randomInput(this.#dice, field)
    const isUsed = (version: SchemaData) =>
      fieldsOf(version, type).some(
        ([other, { was = [] }]) =>
          [other, ...was].includes(name) &&
          view
            .records(type)
            .some(({ key }) =>
              [name, other, ...was].some((part) =>
                view.values(key, part).some((v) => v.stored === String(input)),
              ),
            ),
      )
    return this.#versions.some(isUsed) && this.#dice.roll(4) > 0 ? undefined : input
  }

  #freeCode(view: ModelStore): string {
    const codes = ['k1', 'k2', 'k3', 'k4', 'k5', 'k6', 'k7', 'k8']
    const isFree = (code: string) =>
      view
        .records(this.#thing)
        .every(({ key }) => view.values(key, 'code').every((v) => v.stored !== code))
    return this.#dice.pick(codes.filter(isFree).concat('last'))
  }

  #create(user: User, view: ModelStore, type: string): Action {
    const input = this.#input(user, view, type)
    const key = this.newKey(type.slice(0, 2))
    const encoded = this.#encode(user, type, input, true)
    const delta = {
      ...noChange,
      creates: [{ key, type }],
      adds: addsOf(key, encoded.stored),
      links: this.#linksOf(user, type, key, input),
    }
    const run = (writer: AnyWriter) => {
      const write = writer.create(type, this.#withIds(user, type, input))
      user.ids.set(write.id, key)
      return write
    }
    return {
      name: `create ${key} ${JSON.stringify(input)}`,
      delta,
      refusals: encoded.refusals,
      run,
    }
  }

  #upsert(user: User, view: ModelStore): Action | undefined {
    const type = this.#thing
    const code = this.#dice.pick(['k1', 'k2', 'k3'])
    const input: Readonly<Record<string, unknown>> = { ...this.#input(user, view, type), code }
    const existing = view
      .records(type)
      .find(({ key }) => storedField(view, key, 'code', { kind: 'text' }) === code)
    const { refusals } = this.#encode(user, type, input, true)
    const name = `upsert ${JSON.stringify(input)}`
    const callWriter = (writer: AnyWriter) =>
      writer.upsert(type, { by: 'code' }, this.#withIds(user, type, input))
    for (const [link] of linksOf(user.version, type))
      if (existing && keysIn(input[link]).includes(existing.key)) return undefined
    if (existing && refusals.length === 0) {
      const update = this.#updateOf(user, view, type, existing.key, input)
      return { ...update, name: `${name} of ${existing.key}`, run: callWriter }
    }
    const { stored } = this.#encode(user, type, input, false)
    const given = Object.fromEntries(Object.entries(stored).filter(([, value]) => value !== null))
    const key = this.newKey(type.slice(0, 2))
    const delta = {
      ...noChange,
      creates: [{ key, type }],
      upserts: [key],
      adds: addsOf(key, given),
      links: this.#linksOf(user, type, key, input),
    }
    const run = (writer: AnyWriter) => {
      const write = callWriter(writer)
      user.ids.set(write.id, key)
      return write
    }
    return { name: `${name} as ${key}`, delta, refusals, run }
  }

  #update(user: User, view: ModelStore, type: string, key: string): Action {
    const input = this.#input(user, view, type)
    for (const name of Object.keys(input)) if (this.#dice.once(2)) delete input[name]
    for (const [name] of fieldsOf(user.version, type)) if (this.#dice.once(10)) input[name] = null
    // A record cannot be linked to itself.
    for (const [name] of linksOf(user.version, type))
      if (keysIn(input[name]).includes(view.realKey(key))) delete input[name]
    for (const [name, { kind, inverse }] of linksOf(user.version, type))
      if (kind === 'one' && !inverse && this.#dice.once(8)) input[name] = null
    return this.#updateOf(user, view, type, key, input)
  }

  #updateOf(user: User, view: ModelStore, type: string, key: string, input: Fields): Action {
    const { stored, refusals } = this.#encode(user, type, input, false)
    let delta = noChange
    for (const [name, value] of Object.entries(stored)) {
      const field = fieldsOf(user.version, type).find(([n]) => n === name)?.[1]
      for (const part of field?.was ?? []) delta = mergeDeltas(delta, dropPart(view, key, part))
      delta = mergeDeltas(delta, setPart(view, key, name, value))
    }
    for (const [name] of linksOf(user.version, type)) {
      const far = input[name]
      if (far !== undefined && refusals.length === 0)
        delta = mergeDeltas(delta, this.#replaceLinks(user, view, type, key, name, keysIn(far)))
    }
    const run = (writer: AnyWriter) =>
      writer.update(this.#idOf(user, key), this.#withIds(user, type, input))
    return { name: `update ${key} ${JSON.stringify(input)}`, delta, refusals, run }
  }

  #increment(user: User, view: ModelStore, key: string): Action {
    const by = 1 + this.#dice.roll(3)
    const before = storedField(view, key, 'n', { kind: 'integer' })
    const identity = newIdentity()
    const delta = {
      ...noChange,
      increments: [
        { key, part: 'n', identity, by, replaces: view.values(key, 'n').map((v) => v.identity) },
      ],
    }
    const run = (writer: AnyWriter) => writer.increment(this.#idOf(user, key), 'n', by)
    return { name: `increment n of ${key} (${before}) by ${by}`, delta, refusals: [], run }
  }

  #changeLink(user: User, view: ModelStore, type: string, key: string): Action | undefined {
    const [name, field] = this.#dice.pick(linksOf(user.version, type))
    const far = view.records(field.targets?.[0] ?? '').filter((r) => r.key !== view.realKey(key))
    if (far.length === 0) return undefined
    const to = this.#dice.pick(far).key
    const id = () => this.#idOf(user, key)
    const linked = this.#linksBetween(user, view, type, key, name)
    if (field.kind === 'one') {
      const target = this.#dice.once(3) ? null : to
      const refusals = target === null && field.required ? [`${name} required`] : []
      const delta = this.#replaceLinks(user, view, type, key, name, keysIn(target))
      const run = (writer: AnyWriter) =>
        writer.setLink(id(), name, target === null ? null : this.#idOf(user, target))
      return { name: `setLink ${key} ${name} ${target}`, delta, refusals, run }
    }
    const own = linked.filter(
      (l) => [l.from, l.to].includes(view.realKey(to)) && isBetween(l, view, key, to),
    )
    if (this.#dice.once(2)) {
      const run = (writer: AnyWriter) => writer.removeLink(id(), name, this.#idOf(user, to))
      const delta = { ...noChange, drops: own.map((l) => l.identity) }
      return { name: `removeLink ${key} ${name} ${to}`, delta, refusals: [], run }
    }
    const links = own.length > 0 ? [] : [this.#link(user, type, key, name, to)]
    const run = (writer: AnyWriter) => writer.addLink(id(), name, this.#idOf(user, to))
    return {
      name: `addLink ${key} ${name} ${to}`,
      delta: { ...noChange, links },
      refusals: [],
      run,
    }
  }

  #createRaw(user: User): Action {
    const parts = randomParts(this.#dice)
    const key = this.newKey('th')
    const delta = {
      ...noChange,
      creates: [{ key, type: this.#thing }],
      adds: addsOf(key, parts as Record<string, Stored>),
    }
    const run = () => {
      const write = user.client.raw.create(`the_${this.#thing}`, parts as never)
      user.ids.set(write.id, key)
      return write
    }
    return {
      name: `create without a schema ${key} ${JSON.stringify(parts)}`,
      delta,
      refusals: [],
      run,
    }
  }

  #updateRaw(user: User, view: ModelStore, key: string): Action {
    const parts = Object.entries(randomParts(this.#dice)).filter(() => this.#dice.once(4))
    const delta = parts
      .map(([part, value]) => setPart(view, key, part, value as Stored))
      .reduce(mergeDeltas, noChange)
    const run = () =>
      user.client.raw.update(this.#idOf(user, key), Object.fromEntries(parts) as never)
    return {
      name: `update without a schema ${key} ${JSON.stringify(parts)}`,
      delta,
      refusals: [],
      run,
    }
  }

  #remove(user: User, view: ModelStore, key: string): Action {
    // The removal names the nested records and lists, so that it depends on the writes that created them.
    const inside = [...(view.record(key)?.parts.values() ?? [])]
      .flat()
      .flatMap((v) => (typeof v.stored === 'string' ? [] : v.identity))
    const delta = { ...noChange, removes: [key], drops: inside }
    const run = (writer: AnyWriter) => {
      const removal = writer.remove(this.#idOf(user, key))
      const seen = view.clone()
      // The caller adds the operation of this write after this call returns.
      queueMicrotask(() => {
        const op = user.pending.at(-1)
        if (op?.deltas[0] === delta)
          user.removals.push({ key: view.realKey(key), removal, op, seen })
      })
      return removal
    }
    return { name: `remove ${key}`, delta, refusals: [], run }
  }

  /** Encodes the input of a type, and returns the refusals of the client. */
  #encode(user: User, type: string, input: Fields, isNew: boolean) {
    const refusals: string[] = []
    const stored: Record<string, Stored | null> = {}
    const known = Object.keys(user.version.types[type]?.fields ?? {})
    for (const [name, value] of Object.entries(input))
      if (value !== undefined && !known.includes(name)) refusals.push(`${name} unknown`)
    for (const [name, field] of fieldsOf(user.version, type)) {
      const value = isNew ? (input[name] ?? field.default) : input[name]
      if (value === undefined && !isNew) continue
      const problems: string[] = []
      const encoded = encode(field, value, name, problems)
      refusals.push(...problems)
      if (problems.length === 0) refusals.push(...violations(field, encoded, name))
      if (encoded !== undefined) stored[name] = encoded
      else if (value === null && !isNew) stored[name] = null
    }
    for (const [name, { required }] of linksOf(user.version, type)) {
      const isMissing = isNew ? (input[name] ?? null) === null : input[name] === null
      if (required && isMissing) refusals.push(`${name} required`)
    }
    return { stored: stored as Record<string, Stored>, refusals }
  }

  #linksOf(user: User, type: string, key: string, input: Fields): Delta['links'] {
    return linksOf(user.version, type).flatMap(([name]) =>
      keysIn(input[name]).map((to) => this.#link(user, type, key, name, to)),
    )
  }

  #link(user: User, type: string, key: string, name: string, to: string) {
    const { connection, isReverse } = connectionOf(user.version, type, name)
    const [from, target] = isReverse ? [to, key] : [key, to]
    return { identity: newIdentity(), connection, from, to: target }
  }

  #linksBetween(user: User, view: ModelStore, type: string, key: string, name: string) {
    const { connection, isReverse } = connectionOf(user.version, type, name)
    return view
      .links()
      .filter(
        (l) => l.connection === connection && (isReverse ? l.to : l.from) === view.realKey(key),
      )
  }

  #replaceLinks(
    user: User,
    view: ModelStore,
    type: string,
    key: string,
    name: string,
    targets: readonly string[],
  ): Delta {
    const { isReverse } = connectionOf(user.version, type, name)
    const wanted = new Set(targets.map((k) => view.realKey(k)))
    const kept = new Set<string>()
    const drops: number[] = []
    for (const l of this.#linksBetween(user, view, type, key, name)) {
      const end = isReverse ? l.from : l.to
      if (!wanted.has(end) || kept.has(end)) drops.push(l.identity)
      kept.add(end)
    }
    const added = [...wanted].filter((k) => !kept.has(k))
    return { ...noChange, drops, links: added.map((to) => this.#link(user, type, key, name, to)) }
  }

  #withIds(user: User, type: string, input: Fields): Fields {
    const ids = linksOf(user.version, type).flatMap(([name, { kind }]) => {
      const far = input[name]
      if (far === undefined || far === null) return []
      const keys = keysIn(far).map((key) => this.#idOf(user, key))
      return [[name, kind === 'one' ? keys[0] : keys]]
    })
    return { ...input, ...Object.fromEntries(ids) }
  }
}

/**
 * Reports whether pending writes may set and remove the number of a record. A request with both and an increment looks as if the
 * increment had replaced the number, so its result depends on whether the client sends them together.
 */
const isRemovedNumber = (user: User, view: ModelStore, key: string, inTransaction: boolean) =>
  view.values(key, 'n').length === 0 &&
  (inTransaction ||
    user.pending.some(({ deltas }) =>
      deltas
        .flatMap(({ adds, increments }) => [...adds, ...increments])
        .some((add) => add.part === 'n' && view.realKey(add.key) === view.realKey(key)),
    ))

const keysIn = (far: unknown): string[] =>
  far === undefined || far === null ? [] : ([far].flat() as string[])

const isBetween = (l: { from: string; to: string }, view: ModelStore, key: string, to: string) => {
  const ends = [view.realKey(key), view.realKey(to)].sort()
  return JSON.stringify([l.from, l.to].sort()) === JSON.stringify(ends)
}

const addsOf = (key: string, stored: Readonly<Record<string, Stored>>): Delta['adds'] =>
  Object.entries(stored).map(([part, value]) => ({
    key,
    part,
    value: { identity: newIdentity(), stored: value },
  }))

const dropPart = (view: ModelStore, key: string, part: string): Delta => ({
  ...noChange,
  drops: view.values(key, part).map((v) => v.identity),
})

/** Replaces the values of a part that the client sees. Null removes them. A value that is already equal stays. */
function setPart(view: ModelStore, key: string, part: string, stored: Stored | null): Delta {
  const before = view.values(key, part)
  const isSame = typeof stored === 'string' && before.length === 1 && before[0]?.stored === stored
  if (isSame) return noChange
  const delta = dropPart(view, key, part)
  return stored === null ? delta : { ...delta, adds: addsOf(key, { [part]: stored }) }
}
