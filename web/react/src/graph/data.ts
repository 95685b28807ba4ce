import type { Id, WeftError } from '@weft/client'

/** Concepts and the connections between them, to be drawn. The same object until something changes. */
export interface GraphData {
  readonly nodes: readonly GraphNode[]
  /** A connection to a node that is not here is left out. */
  readonly edges: readonly GraphEdge[]
}

export interface GraphNode {
  readonly id: Id
  readonly label: string
  readonly kind: NodeKind
}

/** A record, the name of a type, or a plain value. */
export type NodeKind = 'composition' | 'type' | 'value'

/** In the plural, for the legend. */
export type KindNames = Readonly<Record<NodeKind, string>>

/** Two connections between the same ends under one label are one. */
export interface GraphEdge {
  readonly from: Id
  readonly to: Id
  readonly label: string
}

/** How far the loading of a graph has got. What is here is drawn whatever it says. */
export type GraphStatus =
  | { readonly status: 'ready' | 'loading' }
  | { readonly status: 'error'; readonly error: WeftError; readonly retry: () => void }

export const edgeKey = ({ from, to, label }: GraphEdge): string => `${from} ${to} ${label}`

/** A connection as seen from one of its ends. */
export interface Step {
  readonly edge: GraphEdge
  readonly out: boolean
  readonly far: GraphNode
}

/** The steps that can be taken from each concept, in the order of the connections. */
export function stepsOf({ nodes, edges }: GraphData): ReadonlyMap<Id, readonly Step[]> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const steps = new Map<Id, Step[]>(nodes.map(({ id }) => [id, []]))
  for (const edge of edges) {
    const [from, to] = [byId.get(edge.from), byId.get(edge.to)]
    if (!from || !to) continue
    steps.get(from.id)?.push({ edge, out: true, far: to })
    if (from !== to) steps.get(to.id)?.push({ edge, out: false, far: from })
  }
  return steps
}
