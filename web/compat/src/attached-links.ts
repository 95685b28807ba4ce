import type { Id } from '@weft/client'
import { setOwn } from '@weft/client/internal'
import { readShape } from './compositions.ts'
import { orFallback } from './errors.ts'
import type { Connection } from './model/connection.ts'
import { ALLID, DATAID, JUSTDATA, LISTNORMAL, NORMAL } from './model/constants.ts'
import { currentInternals } from './start.ts'

/*
 * Compositions with their linked records. Linked records are listed under the name of the link's type, always as a
 * list, newest link first. A link that was followed backwards is listed at its target, under the name with the suffix
 * `_reverse`.
 */

/** Reads a composition in a format of the searches; other formats mean DATAID. */
export function readFormat(id: Id, format: number): any {
  if (format === JUSTDATA) return readShape(id, 'plain')
  if (format === ALLID) return readShape(id, 'withIds')
  if (format === NORMAL || format === LISTNORMAL) return withMainId(readShape(id, 'plain'), id)
  return readShape(id, 'listed')
}

/** Adds the id to the outermost record: `{type: {id, …}}`. */
function withMainId(data: any, id: Id): any {
  const real = currentInternals().graph.real(id)
  return Object.fromEntries(
    Object.entries(data).map(([type, fields]) => [
      type,
      typeof fields === 'object' && !Array.isArray(fields)
        ? Object.assign({ id: real }, fields, { id: real })
        : fields,
    ]),
  )
}

/** Reads a composition in a format of the composition listeners; other formats mean JUSTDATA. */
export function readListened(id: Id, format: number): any {
  if (format === NORMAL) return withMainId(readShape(id, 'plain'), id)
  return readShape(id, format === DATAID ? 'listed' : 'plain')
}

/** The ids that a search returns: compositions, and the links to attach to them. */
export interface AttachedLinks {
  readonly compositionIds: readonly Id[]
  readonly linkers: readonly Id[]
  readonly reverse: readonly Id[]
}

/** Reads the compositions of a search with the links between them. The result has the real ids as its keys. */
export function readWithLinks(
  { compositionIds, linkers, reverse }: AttachedLinks,
  format: number,
): Map<Id, any> {
  const { graph } = currentInternals()
  const found = compositionIds.filter((id) => graph.concept(id))
  const records = new Map(found.map((id) => [graph.real(id), readFormat(id, format)]))
  attach(records, linkers, reverse)
  return records
}

/** Attaches records to each other. A link back to a record that contains it is left out. */
function attach(records: Map<Id, any>, linkers: readonly Id[], reverse: readonly Id[]): void {
  const { graph } = currentInternals()
  const inside = new Map<any, Set<any>>()
  const contains = (outer: any, record: any): boolean =>
    outer === record || [...(inside.get(outer) ?? [])].some((child) => contains(child, record))
  for (const linker of [...new Set(linkers)].sort((a, b) => b - a)) {
    const link = graph.connection(linker)
    const name = link && graph.concept(link.type)?.value
    if (!link || !name) continue
    const isReverse = reverse.includes(linker)
    const [near, far] = isReverse ? [link.to, link.from] : [link.from, link.to]
    const target = records.get(graph.real(near))
    const record = records.get(graph.real(far))
    if (!target || !record || contains(record, target)) continue
    inside.set(target, (inside.get(target) ?? new Set()).add(record))
    const fields = fieldsOf(target)
    if (fields) push(fields, isReverse ? `${name}_reverse` : name, record)
  }
}

/** Returns the fields of a record, below the name of its type. An empty string becomes an empty record. */
function fieldsOf(record: any): Record<string, any> | undefined {
  const data = record.data ?? record
  const [type] = Object.keys(data)
  if (type === undefined) return undefined
  if (data[type] === '') data[type] = {}
  return typeof data[type] === 'object' ? data[type] : undefined
}

function push(fields: Record<string, any>, key: string, record: any): void {
  if (!Object.hasOwn(fields, key)) setOwn(fields, key, [])
  fields[key].push(record)
}

/** Attaches the links with the given ids to compositions. Returns the main composition. */
export async function FormatFromConnections(
  linkers: number[],
  compositionData: any[],
  mainComposition: number,
  reverse: number[] = [],
): Promise<any> {
  const { graph, fetcher } = currentInternals()
  await orFallback(
    fetcher().then((f) => f.fetchConnections(linkers)),
    undefined,
  )
  const records = new Map<Id, any>()
  for (const [key, row] of Object.entries(compositionData))
    if (row) records.set(graph.real(Number(row.id ?? key)), row)
  attach(records, linkers, reverse)
  return records.get(graph.real(mainComposition))
}

export const FormatFromConnectionsAltered = (
  connections: Connection[],
  compositionData: any[],
  mainComposition: number,
  reverse: number[] = [],
): Promise<any> =>
  FormatFromConnections(
    connections.map((c) => c.id),
    compositionData,
    mainComposition,
    reverse,
  )

/** Sorts connections by id; newest first unless the order is `ASC`. */
export function orderTheConnections(connections: Connection[], order = 'DESC'): Connection[] {
  const sign = order === 'ASC' ? 1 : -1
  return connections.sort((a, b) => sign * (a.id - b.id))
}
