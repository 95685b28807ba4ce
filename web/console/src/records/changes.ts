import type { Client, FieldInput, FieldsInput, Removal, Write } from '@weft/client'
import { addLink, removeLink, setLink } from '@weft/client/graph'
import { begin } from '@weft/client/transaction'
import type { UndoList } from '../model/undo.ts'
import { type Cell, inputOf, type LinkedRecord } from './cell.ts'
import type { Column } from './columns.ts'

/** New text for a cell, with the content that it replaces. */
export interface CellChange {
  readonly id: number
  readonly column: Column
  readonly before: Cell
  readonly text: string
}

/** The client that writes, and the undo list for the changes. */
export interface Writing {
  readonly client: Client
  readonly undo: UndoList
}

/**
 * Writes text into cells and puts the change on the undo list, as one entry. Checks all texts before the first write: if one is
 * not valid in its column, throws `Misfit` and writes nothing.
 */
export function setCells(
  { client, undo }: Writing,
  changes: readonly CellChange[],
  label: string,
): Promise<void> {
  return undo.make(async () => {
    const effective = changes.filter(({ before, text }) => before.text !== text)
    if (effective.length === 0) return
    const after = groupByRecord(effective, ({ text }) => text)
    const before = groupByRecord(effective, (change) => change.before.text, true)
    await writeRecords(client, after)
    undo.push({
      label,
      undo: () => writeRecords(client, before),
      redo: () => writeRecords(client, after),
    })
  })
}

/** The new fields of records; an undefined field is removed. */
type Records = ReadonlyMap<number, Readonly<Record<string, FieldInput | undefined>>>

/** Groups changes by record. With `isKnown`, the texts are values that were stored before, and are not checked. */
function groupByRecord(
  changes: readonly CellChange[],
  textOf: (change: CellChange) => string,
  isKnown = false,
): Records {
  const records = new Map<number, Record<string, FieldInput | undefined>>()
  for (const change of changes) {
    const fields = records.get(change.id) ?? {}
    const text = textOf(change)
    fields[change.column.key] = isKnown ? text || undefined : inputOf(change.column, text)
    records.set(change.id, fields)
  }
  return records
}

/** Writes fields of records. Several records are written in one transaction, which the server accepts or refuses as a whole. */
async function writeRecords(client: Client, records: Records): Promise<void> {
  if (records.size === 0) return
  await Promise.all([...records.keys()].map((id) => loadOnce(client, id)))
  if (records.size === 1) {
    for (const [id, fields] of records) await update(client, id, fields).saved
    return
  }
  const transaction = begin(client)
  for (const [id, fields] of records) update(transaction, id, fields)
  await (await transaction.commit()).saved
}

function update(
  client: Pick<Client, 'update'>,
  id: number,
  fields: Readonly<Record<string, FieldInput | undefined>>,
): Write {
  const given = Object.entries(fields).filter(
    (entry): entry is [string, FieldInput] => entry[1] !== undefined,
  )
  const remove = Object.keys(fields).filter((name) => fields[name] === undefined)
  return client.update(id, Object.fromEntries(given), { remove })
}

/** Loads a record that is not in memory, because only loaded records can be updated. */
async function loadOnce(client: Client, id: number): Promise<void> {
  if (client.record(id) === undefined) await client.load(id)
}

/** Sets or removes the only link of a column and puts the change on the undo list. */
export async function setCellLink(
  { client, undo }: Writing,
  change: { readonly id: number; readonly column: Column; readonly before: Cell },
  target: LinkedRecord | undefined,
  label: string,
): Promise<void> {
  const { id, column, before } = change
  const old = before.links[0]
  if (old?.id === target?.id) return
  const write = (other: number | null) => setLink(client, id, column.key, other).saved
  await undo.make(async () => {
    await write(target?.id ?? null)
    undo.push({
      label,
      undo: () => write(old?.id ?? null),
      redo: () => write(target?.id ?? null),
    })
  })
}

/** Adds a link to a list, or removes one, and puts the change on the undo list. */
export async function changeListLink(
  { client, undo }: Writing,
  { id, column }: { readonly id: number; readonly column: Column },
  target: LinkedRecord,
  action: 'add' | 'remove',
): Promise<void> {
  const write = (what: 'add' | 'remove'): Promise<void> =>
    (what === 'add' ? addLink : removeLink)(client, id, column.key, target.id).saved
  const reverse = action === 'add' ? 'remove' : 'add'
  await undo.make(async () => {
    await write(action)
    undo.push({
      label: `${target.label} ${action === 'add' ? 'added to' : 'removed from'} ${column.label}`,
      undo: () => write(reverse),
      redo: () => write(action),
    })
  })
}

/** Creates records and puts the change on the undo list. Returns their ids, which are initially local. */
export async function createRecords(
  { client, undo }: Writing,
  type: string,
  records: readonly FieldsInput[],
  label: string,
): Promise<readonly number[]> {
  const create = async (): Promise<readonly Write[]> => {
    if (records.length === 1) return records.map((fields) => client.create(type, fields))
    const transaction = begin(client)
    const writes = records.map((fields) => transaction.create(type, fields))
    await transaction.commit()
    return writes
  }
  return undo.make(async () => {
    let writes = await create()
    await Promise.all(writes.map(({ saved }) => saved))
    undo.push({
      label,
      undo: () => Promise.all(writes.map(({ id }) => client.remove(id).saved)),
      redo: async () => {
        writes = await create()
      },
    })
    return writes.map(({ id }) => id)
  })
}

/** Pasted rows: changes of existing cells, and new records for the rows past the last one. */
interface PastedRows {
  readonly type: string
  readonly changes: readonly CellChange[]
  readonly added: readonly FieldsInput[]
  readonly label: string
}

/**
 * Writes text into cells and creates records, as one transaction and one entry of the undo list. If a text is not valid in its
 * column, throws `Misfit` and writes nothing.
 */
export async function pasteRecords(
  writing: Writing,
  { type, changes, added, label }: PastedRows,
): Promise<void> {
  if (added.length === 0) return setCells(writing, changes, label)
  const { client, undo } = writing
  const effective = changes.filter(({ before, text }) => before.text !== text)
  const after = groupByRecord(effective, ({ text }) => text)
  const before = groupByRecord(effective, (change) => change.before.text, true)
  const write = async (): Promise<readonly Write[]> => {
    await Promise.all([...after.keys()].map((id) => loadOnce(client, id)))
    const transaction = begin(client)
    for (const [id, fields] of after) update(transaction, id, fields)
    const writes = added.map((fields) => transaction.create(type, fields))
    await (await transaction.commit()).saved
    return writes
  }
  await undo.make(async () => {
    let writes = await write()
    undo.push({
      label,
      undo: async () => {
        await writeRecords(client, before)
        await Promise.all(writes.map(({ id }) => client.remove(id).saved))
      },
      redo: async () => {
        writes = await write()
      },
    })
  })
}

/** Removes records and puts the change on the undo list. */
export async function removeRecords(
  { client, undo }: Writing,
  ids: readonly number[],
  label: string,
): Promise<void> {
  const remove = async (): Promise<readonly Removal[]> => {
    await Promise.all(ids.map((id) => loadOnce(client, id)))
    return ids.map((id) => client.remove(id))
  }
  await undo.make(async () => {
    let removals = await remove()
    await Promise.all(removals.map(({ saved }) => saved))
    undo.push({
      label,
      undo: () => Promise.all(removals.map((removal) => removal.undo().saved)),
      redo: async () => {
        removals = await remove()
      },
    })
  })
}
