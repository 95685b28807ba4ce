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
  dropOld(graph, data)
  const fresh = new Set<string>()
  const said = new Map(data.nodes.map(({ id, label, kind }) => [String(id), { label, kind }]))
  for (const [node, what] of said) {
    if (graph.hasNode(node)) continue
    graph.addNode(node, { ...what, x: Number.NaN, y: 0, size: 1 })
    fresh.add(node)
  }
  for (const edge of data.edges) {
    const key = edgeKey(edge)
    const [from, to] = [String(edge.from), String(edge.to)]
    if (graph.hasNode(from) && graph.hasNode(to) && !graph.hasEdge(key))
      graph.addEdgeWithKey(key, from, to, { label: edge.label })
  }
  const size = sizes(graph)
  graph.updateEachNodeAttributes((node, at) => ({ ...at, ...said.get(node), size: size(node) }))
  place(graph, fresh)
  return fresh
}

function dropOld(graph: DrawnGraph, { nodes, edges }: GraphData): void {
  const keys = new Set(edges.map(edgeKey))
  for (const key of graph.edges()) if (!keys.has(key)) graph.dropEdge(key)
  const ids = new Set(nodes.map(({ id }) => String(id)))
  for (const node of graph.nodes()) if (!ids.has(node)) graph.dropNode(node)
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
  graph.updateEachNodeAttributes((node, at) => ({ ...at, ...places.get(node) }))
}
