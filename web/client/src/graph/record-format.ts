import { read } from '../composition/read.ts'
import { setOwn } from '../composition/value.ts'
import type { Graph } from '../local/graph.ts'
import type { Id } from '../model/id.ts'
import type { Format } from '../query/query.ts'

/**
 * Formats a loaded record or value. Undefined if it is not loaded.
 *
 *   JUSTDATA             {type: {…}}
 *   NORMAL, LISTNORMAL   {type: {id, …}}
 *   ALLID                the same, with the id of every record inside it
 *   DATAID, DATAIDDATE   {created_at, data: {type: {…}}, id}
 *   RAW                  the id
 */
export function formatRecord(graph: Graph, id: Id, format: Format): unknown {
  const concept = graph.concept(id)
  if (!concept) return undefined
  if (format === 'RAW') return concept.id
  if (format === 'JUSTDATA') return read(graph, id)
  if (format === 'ALLID') return read(graph, id, 'withIds')
  if (format !== 'NORMAL' && format !== 'LISTNORMAL') return read(graph, id, 'listed')
  const data: Record<string, unknown> = {}
  for (const [type, fields] of Object.entries(read(graph, id) ?? {})) {
    const isRecord = typeof fields === 'object' && !Array.isArray(fields)
    setOwn(data, type, isRecord ? Object.assign({ id }, fields, { id: concept.id }) : fields)
  }
  return data
}
