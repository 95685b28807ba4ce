import type { GraphData, GraphEdge, GraphNode } from '@weft/react/graph-view'
import type { Idea } from './idea.ts'

/** Returns the graph of ideas and links. Links to removed ideas are omitted; they reappear with the idea. */
export function ideaGraph(ideas: readonly Idea[]): GraphData {
  const idByKey = new Map(ideas.map(({ key, id }) => [key, id]))
  const nodes: GraphNode[] = ideas.map(({ id, name }) => ({ id, label: name, kind: 'value' }))
  const edges: GraphEdge[] = ideas.flatMap(({ id, links }) =>
    links.flatMap(({ to, how }) => {
      const target = idByKey.get(to)
      return target === undefined ? [] : [{ from: id, to: target, label: how }]
    }),
  )
  return { nodes, edges }
}
