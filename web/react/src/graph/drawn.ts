import Graph from 'graphology'
import { edgeKey, type GraphData, type NodeKind } from './data.ts'

/** The graph as the renderer keeps it: with a place for each node. */
export type DrawnGraph = Graph<DrawnNode, DrawnEdge>

export interface DrawnNode {
  x: number
  y: number
  size: number
  label: string
  kind: NodeKind
}

export interface DrawnEdge {
  label: string
}

export const emptyGraph = (): DrawnGraph => new Graph({ multi: true, type: 'directed' })

/**
 * Makes the drawn graph hold what the data says, and returns the nodes that are new to it. Those get a place
 * beside a neighbour that has one, so that a graph that is never arranged can be read as well.
 */
export function drawData(graph: DrawnGraph, data: GraphData): ReadonlySet<string> {
  const nodes = new Map(data.nodes.map((node) => [String(node.id), node]))
  const edges = new Map(data.edges.map((edge) => [edgeKey(edge), edge]))
  for (const key of graph.edges()) if (!edges.has(key)) graph.dropEdge(key)
  for (const node of graph.nodes()) if (!nodes.has(node)) graph.dropNode(node)
  const fresh = new Set<string>()
  for (const [node, { label, kind }] of nodes) {
    if (graph.hasNode(node)) continue
    graph.addNode(node, { label, kind, x: Number.NaN, y: 0, size: 1 })
    fresh.add(node)
  }
  for (const [key, edge] of edges) {
    const [from, to] = [String(edge.from), String(edge.to)]
    if (graph.hasNode(from) && graph.hasNode(to) && !graph.hasEdge(key))
      graph.addEdgeWithKey(key, from, to, { label: edge.label })
  }
  const size = sizes(graph)
  // Written in place: whoever draws looks at everything again, once.
  for (const [node, { label, kind }] of nodes)
    Object.assign(graph.getNodeAttributes(node), { label, kind, size: size(node) })
  place(graph, fresh)
  return fresh
}

/** Whoever has more connections is larger, and all are smaller where there are many. */
function sizes(graph: DrawnGraph): (node: string) => number {
  const scale = Math.max(0.3, Math.min(1, Math.sqrt(400 / graph.order)))
  return (node) => scale * Math.min(18, 5 + 1.5 * Math.sqrt(graph.degree(node)))
}

/** How far a new node stands from the one it hangs on, before forces have their say. */
const reach = 12
const golden = Math.PI * (3 - Math.sqrt(5))

function place(graph: DrawnGraph, fresh: ReadonlySet<string>): void {
  const places = new Map<string, { readonly x: number; readonly y: number }>()
  const placeOf = (node: string) =>
    places.get(node) ?? (fresh.has(node) ? undefined : graph.getNodeAttributes(node))
  for (const node of fresh) {
    const near = graph.findNeighbor(node, (other) => placeOf(other) !== undefined)
    const { x, y } = (near === undefined ? undefined : placeOf(near)) ?? { x: 0, y: 0 }
    const turn = places.size + 1
    const away = near === undefined ? reach * Math.sqrt(turn) : reach
    places.set(node, {
      x: x + away * Math.cos(golden * turn),
      y: y + away * Math.sin(golden * turn),
    })
  }
  for (const [node, at] of places) Object.assign(graph.getNodeAttributes(node), at)
}
