import { read } from '../composition/read.ts'
import { put } from '../composition/value.ts'
import type { Id } from '../graph/id.ts'
import type { Graph } from '../local/graph.ts'
import type { Format } from '../query/query.ts'

/**
 * A record, or a value, that is here, as a format hands it over. Undefined when it is not here.
 *
 *   JUSTDATA             {type: {…}}
 *   NORMAL, LISTNORMAL   {type: {id, …}}
 *   ALLID                the same, with the id of every record inside it
 *   DATAID, DATAIDDATE   {created_at, data: {type: {…}}, id}
 *   RAW                  the id
 */
export function shaped(graph: Graph, id: Id, form: Format): unknown {
  const concept = graph.concept(id)
  if (!concept) return undefined
  if (form === 'RAW') return concept.id
  if (form === 'JUSTDATA') return read(graph, id)
  if (form === 'ALLID') return read(graph, id, 'withIds')
  if (form !== 'NORMAL' && form !== 'LISTNORMAL') return read(graph, id, 'listed')
  const data: Record<string, unknown> = {}
  for (const [type, fields] of Object.entries(read(graph, id) ?? {})) {
    const named = typeof fields === 'object' && !Array.isArray(fields)
    put(data, type, named ? Object.assign({ id }, fields, { id: concept.id }) : fields)
  }
  return data
}
