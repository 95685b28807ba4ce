import type { Fields } from '../src/composition/value.ts'
import { keyIn, valueIn } from './agent.ts'
import type { Model, RecordModel, WriteModel } from './model.ts'
import type { Field } from './operation.ts'
import type { StoredRecord } from './server-state.ts'

const fields: readonly Field[] = ['text', 'at']

/**
 * Compares the server with the model. Returns a sentence for every write or record that is lost, doubled or invented.
 */
export function checkStoredRecords(model: Model, stored: readonly StoredRecord[]): string[] {
  const wrong: string[] = []
  const found = groupBy(stored, ({ key }) => key)
  for (const [key, records] of found) {
    if (key === undefined || !model.records.has(key))
      wrong.push(`${records.length} records are stored with the key ${key}, which no tab wrote`)
  }
  for (const record of model.records.values())
    wrong.push(...checkRecord(record, found.get(record.key) ?? []))
  wrong.push(...checkLinks(model, stored), ...checkTransactions(model, new Set(found.keys())))
  wrong.push(...checkRequests(model))
  for (const write of model.writes.values()) {
    if (!write.orphan && !write.mayBeLost && !write.refused && write.synced === undefined)
      wrong.push(`${nameOf(write)} was never reported as synced`)
    if (write.refused && !write.about.removed && !write.to?.removed)
      wrong.push(`${nameOf(write)} was refused for no reason: ${write.refused}`)
  }
  return wrong
}

function checkRecord(record: RecordModel, all: readonly StoredRecord[]): string[] {
  const creation = record.writes.find(({ kind }) => kind === 'create')
  if (!creation) return [`${record.key} was never created`]
  if (all.length > 1) return [`${nameOf(creation)} is stored ${all.length} times`]
  const [stored] = all
  const removals = record.writes.filter(({ kind }) => kind === 'remove')
  if (removals.some(mustBeStored)) return stored ? [`${record.key} was removed, but is stored`] : []
  const mustExist = mustBeStored(creation) && removals.length === 0
  if (!stored) return mustExist ? [`${nameOf(creation)} is not stored`] : []
  if (creation.refused) return [`${nameOf(creation)} was refused, but is stored`]
  const wrong = fields.flatMap((field) => checkField(record, field, stored))
  for (const write of record.writes) {
    if (write.synced !== undefined && write.synced !== stored.id)
      wrong.push(
        `${nameOf(write)} was reported as ${write.synced}, and ${record.key} is ${stored.id}`,
      )
  }
  return wrong
}

/**
 * Checks the stored values of a field. A value must be absent if a stored write replaced it, that is, if that write has
 * the value as `saw`. Two writes that did not see each other's value leave both values.
 */
function checkField(
  { key, writes }: RecordModel,
  field: Field,
  { values }: StoredRecord,
): string[] {
  const stored = values[field]
  const all = writes.filter((write) => write.kind === 'create' || write.field === field)
  const [creation] = all
  const accepted = all.filter((write) => !write.refused)
  const writtenBy = (write: WriteModel) => write.value ?? `${field} of ${key}`
  const effective = accepted.filter(
    (write) => mustBeStored(write) || stored.includes(writtenBy(write)),
  )
  const overwritten = new Set(effective.map(({ saw }) => saw))
  const allowed = accepted.map(writtenBy).filter((value) => !overwritten.has(value))
  const wrong: string[] = []
  for (const [value, same] of groupBy(stored, (value) => value)) {
    if (same.length > 1)
      wrong.push(`${field} of ${key} has the value ${value} ${same.length} times`)
    if (!allowed.includes(value))
      wrong.push(`${field} of ${key} is ${value}, not ${allowed.join(' or ')}`)
  }
  if (stored.length === 0 && creation)
    wrong.push(`${field} of ${key} is lost: ${allowed.join(' or ')}`)
  return wrong
}

/**
 * Checks the number of links between two stored records: at least the links that must be stored, and at most those that the
 * server did not refuse.
 */
function checkLinks({ writes }: Model, stored: readonly StoredRecord[]): string[] {
  const wrong: string[] = []
  const keys = new Map(stored.map(({ id, key }) => [id, key]))
  const links = [...writes.values()].filter(({ kind }) => kind === 'link')
  const pairOf = (from: unknown, to: unknown) => `${from} → ${to}`
  const madeLinks = groupBy(links, ({ about, to }) => pairOf(about.key, to?.key))
  const all = stored.flatMap(({ key, links }) => links.map((to) => pairOf(key, keys.get(to))))
  const found = groupBy(all, (pair) => pair)
  const present = new Set(keys.values())
  for (const [pair, pairLinks] of madeLinks) {
    const [{ about, to } = {}] = pairLinks
    if (!present.has(about?.key) || !present.has(to?.key)) continue
    const n = found.get(pair)?.length ?? 0
    const required = pairLinks.filter(mustBeStored)
    const possible = pairLinks.filter(({ refused }) => !refused)
    if (n < required.length || n > possible.length)
      wrong.push(`${n} links ${pair} are stored, and ${pairLinks.map(nameOf).join(', ')} were made`)
  }
  for (const pair of found.keys())
    if (!madeLinks.has(pair)) wrong.push(`no tab made the link ${pair}`)
  return wrong
}

/** Checks that all records of a transaction are stored, or none. */
function checkTransactions({ writes }: Model, present: ReadonlySet<string | undefined>): string[] {
  const parts = [...writes.values()].filter(({ group }) => group !== undefined)
  return [...groupBy(parts, ({ group }) => group).values()].flatMap((all) => {
    if (all.some(({ about }) => about.removed)) return []
    const stored = all.filter(({ about }) => present.has(about.key)).length
    if (stored === 0 || stored === all.length) return []
    const names = all.map(nameOf).join(', ')
    return [
      `records of ${stored} of the ${all.length} writes of a transaction are stored: ${names}`,
    ]
  })
}

/** Checks that a request has all writes of a transaction or none, and that no discarded write is sent. */
function checkRequests({ writes, requests }: Model): string[] {
  const wrong: string[] = []
  const all = [...writes.values()]
  const groups = groupBy(all, ({ group }) => group)
  groups.delete(undefined)
  const tracesOf = (list: readonly WriteModel[]) =>
    list.map(traceOf).filter((trace) => trace !== undefined)
  for (const [group, members] of groups) {
    const parts = tracesOf(members)
    const related = requests.filter((request) => parts.some((part) => request.has(part)))
    if (related.some((request) => !parts.every((part) => request.has(part))))
      wrong.push(`the transaction from write ${group} was not sent whole: ${parts.join(', ')}`)
  }
  for (const write of all) {
    const trace = traceOf(write)
    if (write.discardedAt === undefined || trace === undefined) continue
    if (requests.slice(write.discardedAt).some((request) => request.has(trace)))
      wrong.push(`${nameOf(write)} was discarded, but sent after that`)
  }
  return wrong
}

/** Returns the string that identifies a write in the body of a request: the key of a new record, or a new value. */
const traceOf = ({ kind, about, value }: WriteModel): string | undefined =>
  kind === 'create' ? about.key : value

function groupBy<T, K>(list: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>()
  for (const item of list) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return groups
}

/** Reports whether a write must be stored, according to the reports of its tab. */
const mustBeStored = (write: WriteModel): boolean =>
  write.synced !== undefined || (write.saved && !write.mayBeLost && !write.refused)

export const nameOf = ({ write, kind, about, tab }: WriteModel): string =>
  `write ${write} (${kind} ${about.key} in ${tab})`

/** Compares the records that a tab shows with those of the server. If a field has several values, the newest counts. */
export function checkShownRecords(
  tab: string,
  shown: readonly (Fields | undefined)[] | string,
  stored: readonly StoredRecord[],
): string[] {
  if (typeof shown === 'string') return [`${tab} has no complete list: ${shown}`]
  const line = (key: unknown, values: readonly unknown[]) => JSON.stringify([key, ...values])
  const shownLines = shown.map((record) =>
    line(
      keyIn(record),
      fields.map((field) => valueIn(record, field)),
    ),
  )
  const storedLines = stored.map(({ key, values }) =>
    line(
      key,
      fields.map((field) => values[field].at(-1)),
    ),
  )
  const [inTab, onServer] = [new Set(shownLines), new Set(storedLines)]
  const missing = storedLines.filter((record) => !inTab.has(record))
  const extra = shownLines.filter((record) => !onServer.has(record))
  return [
    ...missing.map((record) => `${tab} does not show ${record}`),
    ...extra.map((record) => `${tab} shows ${record}, which is not stored`),
    ...(shownLines.length > inTab.size ? [`${tab} shows a record twice`] : []),
  ]
}
