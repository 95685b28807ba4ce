import type { GraphData, GraphEdge, GraphNode } from '@weft/react/graph'
import type { Idea } from './idea.ts'

/** Ideas and the links between them. A link to an idea that is gone is not drawn, and back with it. */
export function drawIdeas(ideas: readonly Idea[]): GraphData {
  const byKey = new Map(ideas.map(({ key, id }) => [key, id]))
  const nodes: GraphNode[] = ideas.map(({ id, name }) => ({ id, label: name, kind: 'value' }))
  const edges: GraphEdge[] = ideas.flatMap(({ id, links }) =>
    links.flatMap(({ to, how }) => {
      const far = byKey.get(to)
      return far === undefined ? [] : [{ from: id, to: far, label: how }]
    }),
  )
  return { nodes, edges }
}
