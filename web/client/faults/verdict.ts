import type { Fields } from '../src/composition/value.ts'
import { keyIn, valueIn } from './agent.ts'
import type { Made, Model, Note } from './model.ts'
import type { Field } from './operation.ts'
import type { Stored } from './truth.ts'

const fields: readonly Field[] = ['text', 'at']

/** What is at the server against what the user was told: a sentence for everything lost, doubled or made up. */
export function judged(model: Model, stored: readonly Stored[]): string[] {
  const wrong: string[] = []
  const found = grouped(stored, ({ key }) => key)
  for (const [key, records] of found) {
    if (key === undefined || !model.notes.has(key))
      wrong.push(`${records.length} records are stored as ${key}, which nobody wrote`)
  }
  for (const note of model.notes.values()) wrong.push(...judgedOne(note, found.get(note.key) ?? []))
  wrong.push(...judgedLinks(model, stored), ...judgedGroups(model, new Set(found.keys())))
  wrong.push(...judgedRequests(model))
  for (const made of model.writes.values()) {
    if (!made.orphan && !made.loose && !made.refused && made.synced === undefined)
      wrong.push(`${named(made)} was never told to be synced`)
    if (made.refused && !made.about.removed && !made.to?.removed)
      wrong.push(`${named(made)} was refused for no reason: ${made.refused}`)
  }
  return wrong
}

function judgedOne(note: Note, records: readonly Stored[]): string[] {
  const creation = note.writes.find(({ kind }) => kind === 'create')
  if (!creation) return [`${note.key} was never made`]
  if (records.length > 1) return [`${named(creation)} is stored ${records.length} times`]
  const [record] = records
  const removals = note.writes.filter(({ kind }) => kind === 'remove')
  if (removals.some(isSure)) return record ? [`${note.key} was removed, and is stored`] : []
  const sure = isSure(creation) && removals.length === 0
  if (!record) return sure ? [`${named(creation)} is not stored`] : []
  if (creation.refused) return [`${named(creation)} was refused, and is stored`]
  const wrong = fields.flatMap((field) => judgedField(note, field, record))
  for (const made of note.writes) {
    if (made.synced !== undefined && made.synced !== record.id)
      wrong.push(`${named(made)} was told to be of ${made.synced}, and ${note.key} is ${record.id}`)
  }
  return wrong
}

/**
 * A value may stand where no write that is sure to be there had seen it. Writes that did not see each other
 * leave both their values.
 */
function judgedField({ key, writes }: Note, field: Field, { values }: Stored): string[] {
  const seen = values[field]
  const of = writes.filter((made) => made.kind === 'create' || made.field === field)
  const [creation] = of
  const there = of.filter((made) => !made.refused)
  const value = (made: Made) => made.value ?? `${field} of ${key}`
  const done = there.filter((made) => isSure(made) || seen.includes(value(made)))
  const overwritten = new Set(done.map(({ saw }) => saw))
  const allowed = there.map(value).filter((value) => !overwritten.has(value))
  const wrong: string[] = []
  for (const [of, all] of grouped(seen, (value) => value)) {
    if (all.length > 1) wrong.push(`${field} of ${key} is ${all.length} times ${of}`)
    if (!allowed.includes(of))
      wrong.push(`${field} of ${key} is ${of}, not ${allowed.join(' or ')}`)
  }
  if (seen.length === 0 && creation)
    wrong.push(`${field} of ${key} is lost: ${allowed.join(' or ')}`)
  return wrong
}

/** Between two records that are there stand as many links as were made. */
function judgedLinks({ writes }: Model, stored: readonly Stored[]): string[] {
  const wrong: string[] = []
  const keys = new Map(stored.map(({ id, key }) => [id, key]))
  const links = [...writes.values()].filter(({ kind }) => kind === 'link')
  const pair = (from: unknown, to: unknown) => `${from} → ${to}`
  const made = grouped(links, ({ about, to }) => pair(about.key, to?.key))
  const all = stored.flatMap(({ key, links }) => links.map((to) => pair(key, keys.get(to))))
  const there = grouped(all, (one) => one)
  const present = new Set(keys.values())
  for (const [one, of] of made) {
    const [{ about, to } = {}] = of
    if (!present.has(about?.key) || !present.has(to?.key)) continue
    const n = there.get(one)?.length ?? 0
    const [least, most] = [of.filter(isSure), of.filter(({ refused }) => !refused)]
    if (n < least.length || n > most.length)
      wrong.push(`${n} links ${one} are stored, and ${of.map(named).join(', ')} were made`)
  }
  for (const one of there.keys()) if (!made.has(one)) wrong.push(`nobody made the link ${one}`)
  return wrong
}

/** What a transaction makes is there as a whole, or not at all. */
function judgedGroups({ writes }: Model, present: ReadonlySet<string | undefined>): string[] {
  const parts = [...writes.values()].filter(({ group }) => group !== undefined)
  return [...grouped(parts, ({ group }) => group).values()].flatMap((all) => {
    if (all.some(({ about }) => about.removed)) return []
    const there = all.filter(({ about }) => present.has(about.key)).length
    if (there === 0 || there === all.length) return []
    return [`of a transaction ${there} of ${all.length} are stored: ${all.map(named).join(', ')}`]
  })
}

/** A transaction is sent whole, and what is forgotten is not sent any more. */
function judgedRequests({ writes, requests }: Model): string[] {
  const wrong: string[] = []
  const all = [...writes.values()]
  const groups = grouped(all, ({ group }) => group)
  groups.delete(undefined)
  const traces = (of: readonly Made[]) => of.map(traceOf).filter((trace) => trace !== undefined)
  for (const [group, of] of groups) {
    const parts = traces(of)
    const halves = requests.filter((one) => parts.some((p) => one.has(p)))
    if (halves.some((one) => !parts.every((p) => one.has(p))))
      wrong.push(`the transaction from write ${group} was not sent whole: ${parts.join(', ')}`)
  }
  for (const made of all) {
    const [trace] = traces([made])
    if (made.forgotten === undefined || trace === undefined) continue
    if (requests.slice(made.forgotten).some((one) => one.has(trace)))
      wrong.push(`${named(made)} was forgotten, and sent after that`)
  }
  return wrong
}

/** What a request with a write speaks of, if it can be told. */
const traceOf = ({ kind, about, value }: Made): string | undefined =>
  kind === 'create' ? about.key : value

function grouped<T, K>(list: readonly T[], by: (one: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>()
  for (const one of list) groups.set(by(one), [...(groups.get(by(one)) ?? []), one])
  return groups
}

/** True of what the user may rely on: it is there, for all that a tab ever said. */
const isSure = (made: Made): boolean =>
  made.synced !== undefined || (made.saved && !made.loose && !made.refused)

export const named = ({ write, kind, about, tab }: Made): string =>
  `write ${write} (${kind} ${about.key} in ${tab})`

/** What a tab shows against what is at the server, where the newest of several values counts. */
export function judgedView(
  tab: string,
  shown: readonly (Fields | undefined)[] | string,
  stored: readonly Stored[],
): string[] {
  if (typeof shown === 'string') return [`${tab} has no complete list: ${shown}`]
  const line = (key: unknown, of: readonly unknown[]) => JSON.stringify([key, ...of])
  const here = shown.map((record) =>
    line(
      keyIn(record),
      fields.map((f) => valueIn(record, f)),
    ),
  )
  const there = stored.map(({ key, values }) =>
    line(
      key,
      fields.map((f) => values[f].at(-1)),
    ),
  )
  const [shows, has] = [new Set(here), new Set(there)]
  return [
    ...there.filter((one) => !shows.has(one)).map((one) => `${tab} does not show ${one}`),
    ...here.filter((one) => !has.has(one)).map((one) => `${tab} shows ${one}, which is not stored`),
    ...(here.length > shows.size ? [`${tab} shows a record twice`] : []),
  ]
}
