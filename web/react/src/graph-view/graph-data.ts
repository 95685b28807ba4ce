import type { Id, WeftError } from '@weft/client'

/** Concepts and connections to draw. Pass the same object until something changes. */
export interface GraphData {
  readonly nodes: readonly GraphNode[]
  /** Edges to nodes that are not in `nodes` are not drawn. */
  readonly edges: readonly GraphEdge[]
}

export interface GraphNode {
  readonly id: Id
  readonly label: string
  readonly kind: NodeKind
  /**
   * Name of a colour, by default the colour of the kind. The application defines the colour in the CSS class
   * `weft-graph-color-<name>`.
   */
  readonly color?: string | undefined
  /** Factor by which the size of the node is multiplied, 1 by default. */
  readonly size?: number | undefined
}

/** Whether a node is a record, the name of a type, or a plain value. */
export type NodeKind = 'composition' | 'type' | 'value'

/** Names of the kinds for the legend, in the plural. */
export type KindNames = Readonly<Record<NodeKind, string>>

/** Edges with the same ends and the same label are drawn once. */
export interface GraphEdge {
  readonly from: Id
  readonly to: Id
  readonly label: string
  /** Name of a colour, see `GraphNode.color`; neutral by default. */
  readonly color?: string | undefined
}

/** A position in the plane of a drawing, in the units of the drawing. */
export interface Position {
  readonly x: number
  readonly y: number
}

/** Positions by the id of a concept. */
export type Positions = ReadonlyMap<Id, Position>

/** The loading state of a graph. Data that is present is drawn in every state. */
export type GraphStatus =
  | { readonly status: 'ready' | 'loading' }
  | { readonly status: 'error'; readonly error: WeftError; readonly retry: () => void }

export const edgeKey = ({ from, to, label }: GraphEdge): string => `${from} ${to} ${label}`

/** An edge as seen from one of its nodes. */
export interface Link {
  readonly edge: GraphEdge
  /** Whether the edge starts at this node. */
  readonly isOutgoing: boolean
  /** The node at the other end. */
  readonly neighbor: GraphNode
}

/** Returns the links of every node, in the order of the edges. */
export function linksByNode({ nodes, edges }: GraphData): ReadonlyMap<Id, readonly Link[]> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const links = new Map<Id, Link[]>(nodes.map(({ id }) => [id, []]))
  for (const edge of edges) {
    const [from, to] = [byId.get(edge.from), byId.get(edge.to)]
    if (!from || !to) continue
    links.get(from.id)?.push({ edge, isOutgoing: true, neighbor: to })
    if (from !== to) links.get(to.id)?.push({ edge, isOutgoing: false, neighbor: from })
  }
  return links
}
