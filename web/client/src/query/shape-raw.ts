import { byAge, type Reader } from '../composition/reader.ts'
import type { Answer } from './query.ts'

/** Shapes an answer in the format RAW: its ids, and the ids of all concepts at the ends of its connections. */
export function shapeRawAnswer(graph: Reader, answer: Answer) {
  const concepts = new Set(answer.roots)
  for (const id of answer.links) {
    const link = graph.connection(id)
    if (link) concepts.add(link.from).add(link.to)
  }
  return {
    linkers: answer.links,
    conceptIds: [...concepts].sort(byAge),
    compositionIds: answer.roots,
    reverse: answer.reverse,
    countInfos: answer.counts.map(({ of, type, n }) => ({
      conceptId: of,
      connectionTypeId: type,
      connectionType: '',
      count: n,
    })),
    order: answer.order,
  }
}
