import type { Client, FieldInput, FieldsInput } from '@weft/client'
import { addLink } from '@weft/client/graph'
import { inputOf, Misfit, textOf } from './cell.ts'
import { createRecords, type Writing } from './changes.ts'
import type { Column } from './columns.ts'
import type { ImportTable } from './read-file.ts'

/** The column of the type that each column of the file fills; undefined for columns that are not imported. */
export type Mapping = readonly (Column | undefined)[]

/** Maps columns to those with the same name, ignoring case and all characters other than letters and digits. */
export function proposeMapping(header: readonly string[], columns: readonly Column[]): Mapping {
  const plain = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
  return header.map((name) =>
    columns.find(({ key, label, readOnly }) => {
      const isWritable = readOnly === undefined && !key.includes('>')
      return isWritable && [plain(key), plain(label)].includes(plain(name))
    }),
  )
}

/** A row that cannot be imported, with the reason. `number` counts from 1; row 1 is the header. */
interface BadRow {
  readonly number: number
  readonly reason: string
}

/** A record to create: its fields, and the names of the records that it links to. */
interface NewRecord {
  readonly fields: FieldsInput
  readonly links: readonly { readonly column: Column; readonly name: string }[]
}

/** The records that an import would create, and the rows that it would leave out. */
export interface ImportPlan {
  readonly records: readonly NewRecord[]
  readonly bad: readonly BadRow[]
  /** The names that columns of links mention, by type. */
  readonly names: ReadonlyMap<string, ReadonlySet<string>>
}

/** Checks every row against the columns. Writes nothing. */
export function planImport(table: ImportTable, mapping: Mapping): ImportPlan {
  const records: NewRecord[] = []
  const bad: BadRow[] = []
  const names = new Map<string, Set<string>>()
  table.rows.forEach((cells, i) => {
    try {
      const record = readRecord(cells, mapping)
      records.push(record)
      for (const { column, name } of record.links) {
        const known = names.get(column.target ?? '') ?? new Set()
        names.set(column.target ?? '', known.add(name))
      }
    } catch (error) {
      if (!(error instanceof Misfit)) throw error
      bad.push({ number: i + 2, reason: error.message })
    }
  })
  return { records, bad, names }
}

function readRecord(cells: readonly string[], mapping: Mapping): NewRecord {
  const fields: Record<string, FieldInput> = {}
  const links: { column: Column; name: string }[] = []
  mapping.forEach((column, i) => {
    const text = cells[i] ?? ''
    if (!column || text.trim() === '') return
    if (column.target === undefined) fields[column.key] = inputOf(column, text) ?? ''
    else for (const name of splitNames(column, text)) links.push({ column, name })
  })
  return { fields, links }
}

const splitNames = ({ kind }: Column, text: string): readonly string[] =>
  (kind === 'links' ? text.split(',') : [text])
    .map((name) => name.trim())
    .filter((name) => name !== '')

/** Number of records that one transaction creates. */
const batchRecords = 1_000

/** Creates the planned records, in transactions of 1,000, and their links to records that exist. */
export async function runImport(
  writing: Writing,
  type: string,
  plan: ImportPlan,
  progress: (done: number) => void,
): Promise<void> {
  const targets = await findTargets(writing.client, plan.names)
  for (let start = 0; start < plan.records.length; start += batchRecords) {
    const batch = plan.records.slice(start, start + batchRecords)
    const ids = await createRecords(
      writing,
      type,
      batch.map(({ fields }) => fields),
      `${batch.length} records imported`,
    )
    batch.forEach(({ links }, i) => {
      for (const { column, name } of links) {
        const target = targets.get(`${column.target} ${name.toLowerCase()}`)
        if (target !== undefined) addLink(writing.client, ids[i] as number, column.key, target)
      }
    })
    progress(start + batch.length)
  }
}

/** Returns the ids of the records with the given names. The key is the type, a space, and the name in lower case. */
async function findTargets(
  client: Client,
  names: ImportPlan['names'],
): Promise<ReadonlyMap<string, number>> {
  const targets = new Map<string, number>()
  for (const [type, wanted] of names)
    for (const [name, id] of await namesOfType(client, type))
      if ([...wanted].some((one) => one.toLowerCase() === name)) targets.set(`${type} ${name}`, id)
  return targets
}

/** Maximum number of records that are searched for a name. */
const maxTargets = 10_000

function namesOfType(client: Client, type: string): Promise<ReadonlyMap<string, number>> {
  const live = client.query<{ readonly id: number }>(
    { type, selectors: ['self'], pageSize: maxTargets },
    { format: 'DATAID' },
  )
  return new Promise((resolve, reject) => {
    const settle = () => {
      const state = live.get()
      if (state.status === 'loading') return
      queueMicrotask(() => stop())
      if (state.status === 'error') reject(state.error)
      else resolve(new Map(state.data.map((row) => [textOf(row).toLowerCase(), row.id])))
    }
    const stop = live.subscribe(settle)
    settle()
  })
}
