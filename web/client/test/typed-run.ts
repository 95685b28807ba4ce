import { expect } from 'vitest'
import { createClient, type Id, type WeftError } from '../src/index.ts'
import { internalsOf } from '../src/internals.ts'
import { defineSchema, type SchemaData } from '../src/schema/index.ts'
import { buildersOf, type Dice, randomVersions } from './typed-dice.ts'
import {
  type Delta,
  fieldsOf,
  isRefused,
  linksOf,
  ModelStore,
  newIdentity,
  noChange,
  rowsOf,
} from './typed-model.ts'
import {
  type Action,
  type AnyClient,
  type Fields,
  groupsOf,
  type PendingOp,
  type Row,
  type User,
  withDependents,
} from './typed-user.ts'
import { RandomWrites } from './typed-writes.ts'

export interface Network {
  /** Ends all requests to an origin, and makes new ones fail. */
  cut(origin: string): void
  restore(origin: string): void
}

/** A server, and the network to it. */
interface TypedHost {
  /** Origins of the server, one for each client. */
  readonly origins: readonly string[]
  readonly network: Network
  /** Pushes a schema as an admin. */
  pushSchema(schema: SchemaData): Promise<void>
}

/**
 * One run of the random test: two clients with different versions of a schema write to one server, online and offline.
 * After each step, the rows that the client of the step reads are compared with those of the model. At the end, the rows that new
 * clients read are also compared.
 */
export class TypedRun {
  readonly #dice: Dice
  readonly #writes: RandomWrites
  readonly #versions: readonly [SchemaData, SchemaData]
  readonly #thing: string
  readonly #team: string
  readonly #host: TypedHost
  #users: readonly User[] = []
  /** The version that the server checks. */
  #current = 0
  readonly #server = new ModelStore()
  /** Keys of records by their real ids. */
  readonly #keys = new Map<Id, string>()
  readonly log: string[] = []
  #delivered = 0

  constructor(dice: Dice, suffix: string, host: TypedHost) {
    this.#dice = dice
    this.#versions = randomVersions(dice, suffix)
    this.#writes = new RandomWrites(dice, this.#versions, (user, key) => this.#idOf(user, key))
    this.#thing = `thing${suffix}`
    this.#team = `team${suffix}`
    this.#host = host
    this.log.push(JSON.stringify(this.#versions))
  }

  async run(steps: number): Promise<void> {
    await this.#push(0)
    const { origins, network } = this.#host
    this.#users = this.#versions.map((version, i) => this.#open(version, origins[i] as string))
    try {
      for (let n = 0; n < steps; n++) await this.#step()
      for (const user of this.#users) if (!user.isOnline) await this.#goOnline(user)
      for (const version of this.#versions) {
        const fresh = this.#open(version, origins[0] as string)
        await this.#compare(fresh)
        fresh.client.close()
      }
    } finally {
      for (const { client } of this.#users) client.close()
      for (const origin of origins) network.restore(origin)
    }
  }

  #open(version: SchemaData, origin: string): User {
    const schema = defineSchema(buildersOf(version) as never)
    const options = { url: origin, schema, storage: 'memory', onWarning: () => {} } as const
    const client = createClient(options) as unknown as AnyClient
    const known = this.#server.clone()
    const ids = new Map<Id, string>()
    const knownAt = this.#delivered
    const user = {
      version,
      client,
      origin,
      isOnline: true,
      known,
      knownAt,
      pending: [],
      ids,
      removals: [],
    }
    for (const type of [this.#thing, this.#team]) this.#query(user, type).subscribe(() => {})
    return user
  }

  async #push(version: number): Promise<void> {
    this.#current = version
    await this.#host.pushSchema(this.#versions[version] as SchemaData)
  }

  async #step(): Promise<void> {
    const user = this.#dice.pick(this.#users)
    const name = this.#users.indexOf(user) === 0 ? 'ann' : 'bo'
    if (user.isOnline && user.knownAt !== this.#delivered) {
      this.#refresh(user)
      await this.#compare(user)
    }
    switch (this.#dice.roll(12)) {
      case 0:
        this.log.push(`push version ${1 - this.#current}`)
        return this.#push(1 - this.#current)
      case 1:
        this.log.push(`${name} goes ${user.isOnline ? 'offline' : 'online'}`)
        return user.isOnline ? this.#goOffline(user) : this.#goOnline(user)
      case 2:
        return this.#transaction(user, name)
      case 3:
        if (user.removals.length > 0) return this.#undo(user, name)
        break
      default:
        break
    }
    const action = this.#writes.next(user, this.#view(user))
    if (!action) return
    this.log.push(`${name}: ${action.name}`)
    await this.#write(user, [action.delta], action.refusals, () => action.run(user.client))
  }

  /** Returns the records that a client shows: the records that it has loaded, with its pending writes applied. */
  #view({ known, pending }: User): ModelStore {
    const view = known.clone()
    for (const { deltas } of pending) for (const delta of deltas) view.apply(delta)
    return view
  }

  // ── Writes ────────────────────────────────────────────────────────────────────────────────────────────────────────

  /**
   * Runs a write. Expects that the client refuses the write exactly if the model does; otherwise the write is pending.
   */
  async #write(
    user: User,
    deltas: readonly Delta[],
    refusals: readonly string[],
    run: () => unknown,
  ): Promise<void> {
    const before = new Set(user.client.sync.writes().map(({ key }) => key))
    let error: WeftError | undefined
    try {
      run()
    } catch (e) {
      error = e as WeftError
    }
    if (refusals.length > 0 || error) {
      const { field, rule, message } = error ?? {}
      expect(refusals, `refused: ${message}`).toContain(error && `${field} ${rule}`)
      return
    }
    const keys = user.client.sync.writes().flatMap(({ key }) => (before.has(key) ? [] : key))
    await expect.poll(() => user.client.sync.get().held, { interval: 1 }).toBe(0)
    expect(keys.length > 0, 'the write changes something').toBe(!deltas.every(isEmpty))
    if (keys.length > 0) user.pending.push({ deltas, keys })
    if (!user.isOnline || this.#dice.once(3)) await this.#compare(user)
    if (user.isOnline) await this.#goOnline(user)
  }

  async #transaction(user: User, name: string): Promise<void> {
    const view = this.#view(user)
    const deltas: Delta[] = []
    let refusals: readonly string[] = []
    const actions: Action[] = []
    for (let n = 0; n < 3 && refusals.length === 0; n++) {
      const action = this.#writes.next(user, view, true)
      if (!action) continue
      actions.push(action)
      refusals = action.refusals
      if (refusals.length > 0) break
      view.apply(action.delta)
      deltas.push(action.delta)
    }
    this.log.push(`${name}: transaction of ${actions.map((action) => action.name).join('; ')}`)
    await this.#write(user, deltas, refusals, () =>
      user.client.transaction((tx) => {
        for (const action of actions) action.run(tx)
      }),
    )
  }

  async #undo(user: User, name: string): Promise<void> {
    const removed = this.#dice.pick(user.removals)
    user.removals = user.removals.filter((r) => r !== removed)
    this.log.push(`${name}: undo of the removal of ${removed.key}`)
    const { key, removal, op, seen } = removed
    if (user.pending.includes(op)) {
      await removal.undo().saved
      user.pending = user.pending.filter((other) => other !== op)
      return this.#compare(user)
    }
    const restored = this.#writes.newKey(key.slice(0, 1))
    const delta = restoration(seen, this.#view(user), key, restored)
    const former = [...user.ids, ...this.#keys].filter(([, k]) => k === key).map(([id]) => id)
    const before = new Set(user.client.sync.writes().map(({ key }) => key))
    await removal.undo().saved
    for (const id of former) user.ids.set(id, restored)
    const keys = user.client.sync.writes().flatMap(({ key }) => (before.has(key) ? [] : key))
    user.pending.push({ deltas: [delta], keys })
    await this.#compare(user)
    if (user.isOnline) await this.#goOnline(user)
  }

  #refresh(user: User): void {
    user.known = this.#server.clone()
    user.knownAt = this.#delivered
  }

  #goOffline(user: User): void {
    user.isOnline = false
    this.#host.network.cut(user.origin)
  }

  /** Sends the pending writes, and discards those that the server refuses, as a user would. */
  async #goOnline(user: User): Promise<void> {
    this.#host.network.restore(user.origin)
    user.isOnline = true
    const { client, pending } = user
    const refused = this.#deliver(pending)
    if (pending.length > 0) this.#delivered++
    const lost = withDependents(pending, refused)
    const lostKeys = new Set([...lost].flatMap(({ keys }) => keys))
    const failedKeys = new Set([...refused].flatMap(({ keys }) => keys))
    client.sync.retry()
    await expect
      .poll(
        () => {
          const left = client.sync
            .writes()
            .filter((w) => w.state === 'pending' || !lostKeys.has(w.key))
          const failed = client.sync.get().failed.filter(({ key }) => failedKeys.has(key))
          const waiting = left.filter(({ key }) => !lostKeys.has(key) || failedKeys.has(key))
          return { waiting: waiting.length, failed: failed.length }
        },
        { interval: 1, message: `refused in the model: ${refused.size}` },
      )
      .toEqual({ waiting: 0, failed: failedKeys.size })
    for (const key of failedKeys) await client.sync.discard(key)
    expect(client.sync.writes()).toEqual([])
    for (const [id, key] of user.ids) {
      const real = client.realId(id)
      if (real !== undefined && this.#server.record(key))
        this.#keys.set(real, this.#server.realKey(key))
    }
    this.#refresh(user)
    user.pending = []
    user.removals = user.removals.filter(({ op }) => !lost.has(op))
    await this.#compare(user)
  }

  /**
   * Applies pending writes to the model of the server, and returns those that the server refuses. As many writes as
   * possible form one batch. If the batch is refused, each of its writes is tried as a separate batch.
   */
  #deliver(pending: readonly PendingOp[]): Set<PendingOp> {
    const version = this.#versions[this.#current] as SchemaData
    const refused = new Set<PendingOp>()
    for (const group of groupsOf(pending)) {
      const lost = withDependents(pending, refused)
      const ready = group.filter((op) => !lost.has(op))
      const merged = ready.flatMap(({ deltas }) => deltas)
      if (!isRefused(this.#server, merged, version)) {
        for (const delta of merged) this.#server.apply(delta)
        continue
      }
      for (const op of ready) {
        if (withDependents(pending, refused).has(op)) continue
        if (isRefused(this.#server, op.deltas, version)) refused.add(op)
        else for (const delta of op.deltas) this.#server.apply(delta)
      }
    }
    return refused
  }

  #idOf(user: User, key: string): Id {
    const real = this.#server.realKey(key)
    const [local] =
      [...user.ids].findLast(([, k]) => k === key || this.#server.realKey(k) === real) ?? []
    const id = local ?? [...this.#keys].find(([, k]) => k === real)?.[0]
    if (id === undefined) throw new Error(`${key} has no id`)
    return id
  }

  // ── Comparison ────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Waits until a client shows the rows of the model. */
  async #compare(user: User): Promise<void> {
    const view = this.#view(user)
    const isSynced = user.isOnline && user.pending.length === 0
    for (const type of [this.#thing, this.#team]) {
      const read = () => {
        const { data, isComplete } = this.#query(user, type).get()
        const rows = data.map((row) => [this.#keyOf(user, row.id), this.#plain(user, type, row)])
        return {
          rows: Object.fromEntries(rows),
          count: rows.length,
          isSynced: isSynced && isComplete,
        }
      }
      const rows = rowsOf(view, user.version, type)
      const expected = { rows, count: Object.keys(rows).length, isSynced }
      await expect.poll(read, { interval: 1 }).toEqual(expected)
    }
    if (isSynced) await this.#loadSame(user)
  }

  /**
   * Loads values and links that replaced equal ones. The rows do not show whether a client has them, but its next write
   * removes only those that it has.
   */
  async #loadSame({ client }: User): Promise<void> {
    const { queries } = internalsOf(client.raw)
    await Promise.all([...queries.active.values()].map((query) => query.refetch()))
  }

  #query({ client, version }: User, type: string) {
    const names = linksOf(version, type).map(([name]) => [name, true])
    return client.find(type, { with: Object.fromEntries(names), limit: 200 })
  }

  #keyOf(user: User, id: Id): string {
    const { graph } = internalsOf(user.client.raw)
    const real = user.client.realId(id)
    const key = real === undefined ? undefined : this.#keys.get(real)
    if (key !== undefined) return this.#server.realKey(key)
    const canonical = graph.canonical(id)
    const own = [...user.ids].findLast(([other]) => graph.canonical(other) === canonical)
    return own ? this.#view(user).realKey(own[1]) : `unknown ${id}`
  }

  /** Returns a row with keys instead of linked records, and without the ids of nested records. */
  #plain(user: User, type: string, row: Row): Fields {
    const fields = fieldsOf(user.version, type).map(([name]) => [name, withoutIds(row[name])])
    const links = linksOf(user.version, type).map(([name, { kind }]) => {
      const far = row[name]
      if (kind === 'one') return [name, far ? this.#keyOf(user, (far as Row).id) : null]
      return [name, (far as Row[]).map(({ id }) => this.#keyOf(user, id)).sort()]
    })
    return Object.fromEntries([...fields, ...links])
  }
}

const isEmpty = (delta: Delta): boolean => Object.values(delta).every((list) => list.length === 0)

/** Creates a removed record again, as the client had seen it, with its links to records that still exist. */
function restoration(seen: ModelStore, view: ModelStore, key: string, restored: string): Delta {
  const record = seen.record(key)
  if (!record) throw new Error(`${key} was not seen`)
  const adds = [...record.parts].flatMap(([part, values]) =>
    values.map((v) => ({ key: restored, part, value: { ...v, identity: newIdentity() } })),
  )
  const endOf = (end: string) => (end === record.key ? restored : end)
  const links = seen
    .links()
    .filter((l) => l.from === record.key || l.to === record.key)
    .map((l) => ({ ...l, identity: newIdentity(), from: endOf(l.from), to: endOf(l.to) }))
    .filter((l) => [l.from, l.to].every((end) => end === restored || view.record(end)))
  return { ...noChange, creates: [{ key: restored, type: record.type }], adds, links }
}

function withoutIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIds)
  if (typeof value !== 'object' || value === null) return value
  const { id: _, ...rest } = value as Record<string, unknown>
  return rest
}
