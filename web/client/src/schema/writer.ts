import type { Client, Removal, Write } from '../api.ts'
import { build, type Draft } from '../composition/build.ts'
import { patch } from '../composition/patch.ts'
import type { FieldsInput } from '../composition/value.ts'
import { checkEnds } from '../graph/connection-ends.ts'
import { increment } from '../graph/increment.ts'
import { findRecordByKey } from '../graph/upsert.ts'
import { type Internals, internalsOf } from '../internals.ts'
import { orderLink, orderPatch } from '../model/connection.ts'
import { type Refused, WeftError } from '../model/error.ts'
import type { Id } from '../model/id.ts'
import { timestamp } from '../model/timestamp.ts'
import type { LinkModel, SchemaModel, TypeModel } from './model.ts'
import { encodeChanges, encodeRecord, encodeUpsert, type Refusal } from './record.ts'
import { sentence } from './sentence.ts'
import {
  encodeScalar,
  isComparableNumber,
  isNumeric,
  isPlainRecord,
  type StoredRecord,
} from './values.ts'

/*
 * Typed writes. Input is first encoded and checked (`record.ts`). If it violates a rule, the method throws `invalid`
 * and writes nothing. A record and its links are one write.
 */

type Input = Readonly<Record<string, unknown>>

/** Writes records of a schema with a client or a transaction. */
export class RecordWriter {
  readonly #schema: SchemaModel
  readonly #client: Client
  readonly #internals: Internals
  readonly #warn: (message: string) => void

  constructor(schema: SchemaModel, client: Client, warn: (message: string) => void) {
    this.#schema = schema
    this.#client = client
    this.#warn = warn
    this.#internals = internalsOf(client)
  }

  create(typeName: string, input: Input): Write {
    const type = this.#schema.type(typeName)
    const { stored, refusals } = encodeRecord(type.members, input)
    throwRefusals(refusals)
    this.#warnAboutNumbers(typeName, type.fields, stored)
    return this.#writeNew(type, stored, input)
  }

  update(id: Id, changes: Input): Write {
    const type = this.#typeOf(id)
    const { graph } = this.#internals
    const { stored, refusals } = encodeChanges(type.members, changes)
    throwRefusals(refusals, id)
    this.#warnAboutNumbers(type.name, type.fields, stored)
    const main = graph.canonical(id)
    const draft = this.#beginDraft(orderPatch)
    const given = Object.entries(stored)
    const kept = given.filter(([, value]) => value !== null)
    // A field that is stored under a former name moves to its current name.
    const formerNames = given.flatMap(([name]) => type.fields[name]?.was ?? [])
    const removed = [
      ...given.flatMap(([name, value]) => (value === null ? name : [])),
      ...formerNames,
    ]
    const fields = Object.fromEntries(kept) as FieldsInput
    const removeConnections = patch(graph, { main, removed }, fields, draft)
    for (const link of Object.values(type.links))
      if (changes[link.name] !== undefined)
        removeConnections.push(...this.#replaceLinks(draft, link, main, idsOf(changes[link.name])))
    return this.#writeUpdate(main, draft, removeConnections)
  }

  /**
   * Updates the record with the same key if this page keeps one up to date (`findRecordByKey`). Otherwise the server decides
   * whether it updates or creates a record.
   */
  upsert(typeName: string, { by }: { readonly by: string }, input: Input): Write {
    const type = this.#schema.type(typeName)
    const { stored, refusals } = encodeUpsert(type.members, input)
    throwRefusals(refusals)
    this.#warnAboutNumbers(typeName, type.fields, stored)
    const key = stored[by]
    if (!type.fields[by]?.unique) refuse(`${typeName}.${by} is not unique`)
    if (typeof key !== 'string' || key === '') return refuse(`an upsert needs a value for ${by}`)
    const existing = findRecordByKey(this.#client, type.storeName, `the_${by}`, key)
    if (existing !== undefined) return this.update(existing, input)
    return this.#writeNew(type, stored, input, `the_${by}`)
  }

  /** Warns about numbers that are stored exactly but that conditions and orders cannot compare by their value. */
  #warnAboutNumbers(path: string, fields: TypeModel['fields'], stored: StoredRecord): void {
    for (const [name, field] of Object.entries(fields)) {
      const value = stored[name]
      if (field.fields && isPlainRecord(value))
        this.#warnAboutNumbers(`${path}.${name}`, field.fields, value as StoredRecord)
      else if (isNumeric(field) && typeof value === 'string' && !isComparableNumber(value))
        this.#warn(
          `${path}.${name} is ${value}, which conditions and orderBy compare as text: round numbers to 15 digits`,
        )
    }
  }

  increment(id: Id, name: string, by: number): Write {
    const field = this.#typeOf(id).fields[name]
    if (!field || !isNumeric(field)) return refuse(`${name} is not a field with a number`)
    if (encodeScalar(field, by) === undefined)
      throwRefusals([{ field: name, rule: 'kind', message: sentence(field, 'kind', name) }], id)
    return increment(this.#client, id, name, by)
  }

  setLink(id: Id, name: string, to: Id | null): Write {
    const link = this.#linkOf(id, name)
    const draft = this.#beginDraft()
    const main = this.#internals.graph.canonical(id)
    if (to === null && link.isRequired) refuseLink(link, 'required', id)
    return this.#writeUpdate(main, draft, this.#replaceLinks(draft, link, main, idsOf(to)))
  }

  addLink(id: Id, name: string, to: Id): Write {
    const link = this.#linkOf(id, name)
    const draft = this.#beginDraft()
    const main = this.#internals.graph.canonical(id)
    if (this.#links(link, main, to).length === 0) this.#addConnection(draft, link, main, to)
    return this.#writeUpdate(main, draft, [])
  }

  removeLink(id: Id, name: string, to: Id): Write {
    const link = this.#linkOf(id, name)
    const main = this.#internals.graph.canonical(id)
    return this.#writeUpdate(main, this.#beginDraft(), this.#links(link, main, to))
  }

  remove(id: Id): Removal {
    return this.#client.remove(id)
  }

  /** Creates a record with its links. `key` is the type of the value by which an upsert finds the record. */
  #writeNew(type: TypeModel, stored: StoredRecord, input: Input, key?: string): Write {
    const draft = this.#beginDraft()
    const id = build(draft, type.storeName, stored as FieldsInput)
    for (const link of Object.values(type.links))
      for (const target of idsOf(input[link.name])) this.#addConnection(draft, link, id, target)
    const upserts = key === undefined ? undefined : [{ concept: id, by: key }]
    const { recordsOf, write } = this.#internals
    return write(recordsOf(draft), 'create', id, { type: type.storeName, upserts })
  }

  #writeUpdate(main: Id, draft: Draft, removeConnections: readonly Id[]): Write {
    const records = this.#internals.recordsOf(draft)
    // Nothing has changed: an update without fields is a write that is already synced.
    if (records.connections.length + removeConnections.length === 0)
      return this.#client.update(main, {})
    return this.#internals.write(records, 'update', main, { removeConnections })
  }

  #beginDraft(order?: number): Draft {
    return this.#internals.beginDraft(timestamp(), order)
  }

  #addConnection(draft: Draft, link: LinkModel, id: Id, target: Id): void {
    const { connection, isReverse } = link
    const { connections, localIds, real, owner, access, created } = draft
    const { graph } = this.#internals
    if (graph.canonical(id) === graph.canonical(target)) refuseLink(link, 'self', id)
    const type = draft.typeOf(connection, draft).concept.id
    const [from, to] = isReverse ? [target, id] : [id, target]
    checkEnds(graph, from, type, to)
    const ends = { from: real(from), to: real(to), type }
    connections.push({
      id: localIds.connection(),
      ...ends,
      order: orderLink,
      owner,
      access,
      created,
    })
  }

  /**
   * Adds the missing connections from a record to the targets of a link. Returns its connections to other records,
   * which the write must remove.
   */
  #replaceLinks(draft: Draft, link: LinkModel, main: Id, targets: readonly Id[]): Id[] {
    const { graph } = this.#internals
    const wanted = new Set(targets.map((id) => graph.canonical(id)))
    const old = this.#links(link, main)
    const kept = new Set<Id>()
    const removed = old.filter((id) => {
      const c = graph.connection(id)
      const end = c && (link.isReverse ? c.from : c.to)
      if (end === undefined || !wanted.has(end) || kept.has(end)) return true
      kept.add(end)
      return false
    })
    for (const target of wanted)
      if (!kept.has(target)) this.#addConnection(draft, link, main, target)
    return removed
  }

  /** Returns the ids of the loaded connections of a link: all of them, or only those to the record `to`. */
  #links({ connection, isReverse }: LinkModel, main: Id, to?: Id): Id[] {
    const { graph } = this.#internals
    const type = graph.type(connection)
    if (type === undefined) return []
    const links = isReverse ? graph.in(main, type) : graph.out(main, type)
    const end = to && graph.canonical(to)
    return links
      .filter((c) => end === undefined || (isReverse ? c.from : c.to) === end)
      .map((c) => c.id)
  }

  #linkOf(id: Id, name: string): LinkModel {
    const type = this.#typeOf(id)
    const link = Object.hasOwn(type.links, name) ? type.links[name] : undefined
    if (!link) throw new WeftError('invalid', `${type.name} has no link ${JSON.stringify(name)}`)
    return link
  }

  /** Returns the type of a record. Throws `notFound` when the record is not loaded. */
  #typeOf(id: Id): TypeModel {
    const { graph } = this.#internals
    const storeName = graph.concept(graph.concept(id)?.type ?? 0)?.value
    if (storeName === undefined) throw new WeftError('notFound', `record ${id} is not loaded`)
    const type = this.#schema.ofStoreName(storeName)
    if (!type) throw new WeftError('invalid', `record ${id} has no type of the schema`)
    return type
  }
}

const idsOf = (value: unknown): readonly Id[] =>
  value === undefined || value === null ? [] : ([value].flat() as Id[])

/** Throws the refusals of a record as one error, with the record, field and rule of the first. */
function throwRefusals(refusals: readonly Refusal[], record?: Id): void {
  const [first] = refusals
  if (!first) return
  const { field, rule } = first
  const place: Refused = { rule, ...(field !== undefined && { field }), ...(record && { record }) }
  const message = refusals.map((refusal) => refusal.message).join(' ')
  throw Object.assign(new WeftError('invalid', message), place)
}

function refuseLink({ name }: LinkModel, rule: 'required' | 'self', record: Id): void {
  throwRefusals([{ field: name, rule, message: sentence(undefined, rule, name) }], record)
}

function refuse(message: string): never {
  throw new WeftError('invalid', message)
}
