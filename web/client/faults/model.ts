import type { Id } from '../src/model/id.ts'
import type { Field, Operation, Report } from './operation.ts'

/** A write, and the state that its tab has reported. */
export interface WriteModel {
  readonly write: number
  /** The tab that made the write. */
  readonly tab: string
  /** The record that is written. For a link, its source. */
  readonly about: RecordModel
  /**
   * The fields `field`, `value` and `saw` are set for an update: the field of the record, its new value, and the value
   * that the tab showed before.
   */
  readonly field?: Field | undefined
  readonly value?: string | undefined
  readonly saw?: string | undefined
  readonly kind: Kind
  /** For a link, its target. */
  readonly to?: RecordModel | undefined
  /** The number of the first write of its transaction. */
  readonly group?: number | undefined
  /** The key of the write in the outbox. */
  readonly key: string
  saved: boolean
  /** Whether the write may be lost: the user discarded it, or it was never saved and its tab is gone. */
  mayBeLost: boolean
  /** The real id that the tab of the write reported. */
  synced?: Id
  /** The reason why the server still refuses the write at the end of the trial. */
  refused?: string
  /** Whether the tab that would have reported `synced` is closed or has crashed. */
  orphan: boolean
  /** The number of requests that had arrived when the write's tab discarded it. */
  discardedAt?: number
}

/** A record of the trial. It is identified by a key that never changes. */
export interface RecordModel {
  readonly key: string
  /** The local id of the record, which is valid in `tab`. */
  id: Id
  readonly tab: string
  real?: Id
  removed: boolean
  /**
   * Whether a tab closed while it was discarding the record's creation, before it reported which writes were discarded.
   */
  abandoned: boolean
  readonly writes: WriteModel[]
}

type Kind = 'create' | 'update' | 'remove' | 'link'

/** A write that a tab was asked to make. */
interface RequestedWrite extends Pick<WriteModel, 'tab' | 'about' | 'kind' | 'to' | 'group'> {
  readonly field?: Field | undefined
  readonly value?: string | undefined
  readonly saw?: string | undefined
  /** Whether the write may be stored even if the tab closes before reporting it. */
  mayBeStored: boolean
}

/**
 * The writes of a trial, as tabs reported them to their users.
 *
 * A write is requested (`onRequested`), then made, then saved, then synced (`onReport`). A tab that closes may have
 * made requested writes without reporting them (`onTabGone`).
 */
export class Model {
  readonly records = new Map<string, RecordModel>()
  readonly writes = new Map<number, WriteModel>()
  /** The open transactions, by the numbers of their first writes, with the tab that began them. */
  readonly open = new Map<number, string>()
  /** The record keys and new values in each request with writes, in the order of arrival. */
  readonly requests: ReadonlySet<string>[] = []
  /** Writes that were requested but not made yet. */
  readonly #requested = new Map<number, RequestedWrite>()
  readonly #closedTabs = new Set<string>()
  /** Keys of writes that are being discarded, with the tab that discards them. */
  readonly #discarding = new Map<string, string>()

  /** Called before a tab is asked to carry out an operation on the given records. */
  onRequested(tab: string, operation: Operation, record?: RecordModel, to?: RecordModel): void {
    if (!('write' in operation)) return
    const { write } = operation
    if (operation.do === 'transact') this.#requestTransaction(tab, operation)
    else if (operation.do === 'end') this.#requestEnd(operation)
    else {
      const about = record ?? newRecord(tab, write)
      const { field, value } = operation.do === 'update' ? operation : {}
      const kind = operation.do
      this.#requested.set(write, { tab, about, kind, field, value, to, mayBeStored: true })
    }
  }

  onReport(tab: string, report: Report): void {
    if (report.event === 'made') this.#addWrite(tab, report)
    else if ('keys' in report) this.#discard(tab, report)
    else if (report.event === 'open') {
      if (!this.#closedTabs.has(tab)) this.open.set(report.write, tab)
    } else this.#updateWrite(report)
  }

  #updateWrite(report: Exclude<Report, { event: 'made' | 'open' } | { keys: unknown }>): void {
    const write = this.writes.get(report.write)
    if (!write) throw new Error(`write ${report.write} was ${report.event} before it was made`)
    if (report.event === 'saved') write.saved = true
    else if (report.event !== 'synced') write.mayBeLost = true
    else {
      write.synced = report.id
      if (write.kind === 'create') write.about.real = report.id
    }
  }

  /** Called when a request with writes has arrived at the gateway. */
  onSent(body: string): void {
    this.requests.push(new Set(body.match(/(?<=")(note|text by|at by) \d+(?=")/g)))
  }

  /**
   * Called when a tab is closed or has crashed. Its unsaved writes may be lost; without a shared disk, all its unsynced
   * writes may be lost. It may have made requested writes without a report.
   */
  onTabGone(tab: string, hasSharedDisk: boolean): void {
    if (!hasSharedDisk) {
      this.#closedTabs.add(tab)
      for (const [write, owner] of this.open) if (owner === tab) this.open.delete(write)
    }
    for (const [write, requested] of this.#requested) {
      if (requested.tab !== tab || !requested.mayBeStored) continue
      this.#addWrite(tab, { event: 'made', write, key: '', id: 0 })
      const unreported = this.writes.get(write)
      if (unreported) unreported.mayBeLost = true
    }
    for (const write of this.writes.values()) {
      if (write.tab !== tab || write.synced !== undefined) continue
      write.orphan = true
      if (!(hasSharedDisk && write.saved)) write.mayBeLost = true
    }
    for (const [key, owner] of this.#discarding) if (owner === tab) this.#abandon(key)
  }

  #requestTransaction(tab: string, { write, value, end }: Operation & { do: 'transact' }): void {
    const [first, second] = [newRecord(tab, write), newRecord(tab, write + 1)]
    const part = { tab, group: write, mayBeStored: end === 'commit' }
    const saw = `text of ${second.key}`
    const update = { about: second, kind: 'update', field: 'text', value, saw } as const
    this.#requested.set(write, { ...part, about: first, kind: 'create' })
    this.#requested.set(write + 1, { ...part, about: second, kind: 'create' })
    this.#requested.set(write + 2, { ...part, ...update })
    this.#requested.set(write + 3, { ...part, about: first, kind: 'link', to: second })
  }

  #requestEnd({ write, commit }: Operation & { do: 'end' }): void {
    this.open.delete(write)
    for (const requested of this.#requested.values())
      if (requested.group === write && commit) requested.mayBeStored = true
  }

  #addWrite(tab: string, { write, key, id, saw }: Report & { event: 'made' }): void {
    const requested = this.#requested.get(write)
    if (!requested) throw new Error(`write ${write} was not requested`)
    this.#requested.delete(write)
    const { mayBeStored: _, ...fields } = requested
    const isLost = this.#closedTabs.has(tab)
    const added: WriteModel = {
      ...fields,
      ...{ tab, write, key, saved: false, mayBeLost: isLost, orphan: isLost },
      saw: saw ?? fields.saw,
    }
    const { about, kind } = added
    this.writes.set(write, added)
    about.writes.push(added)
    if (about.abandoned || added.to?.abandoned) added.mayBeLost = true
    if (kind === 'remove') about.removed = true
    if (kind !== 'create') return
    about.id = id
    this.records.set(about.key, about)
  }

  #discard(tab: string, { event, keys }: Report & { readonly keys: readonly string[] }): void {
    if (event === 'discarding') for (const key of keys) this.#discarding.set(key, tab)
    else
      for (const [key, owner] of this.#discarding) if (owner === tab) this.#discarding.delete(key)
    for (const write of this.writes.values()) {
      if (!keys.includes(write.key)) continue
      write.mayBeLost = true
      if (event === 'discarded') write.discardedAt = this.requests.length
    }
  }

  /**
   * Marks a write whose tab closed while it was discarding the write. The writes that depend on it may also have been
   * discarded.
   */
  #abandon(key: string): void {
    const all = [...this.writes.values()]
    const discarded = all.filter((write) => write.key === key)
    const groups = new Set(discarded.map(({ group, write }) => group ?? write))
    const units = all.filter(({ group, write }) => groups.has(group ?? write))
    for (const { kind, about } of units) if (kind === 'create') about.abandoned = true
    for (const write of all)
      if (write.about.abandoned || write.to?.abandoned) write.mayBeLost = true
  }
}

const newRecord = (tab: string, write: number): RecordModel => ({
  key: `note ${write}`,
  tab,
  id: 0,
  removed: false,
  abandoned: false,
  writes: [],
})
