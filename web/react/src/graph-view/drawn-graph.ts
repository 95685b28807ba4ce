import Graph from 'graphology'
import { edgeKey, type GraphData, type NodeKind, type Positions } from './graph-data.ts'

/** The graph of the renderer: every node has a position. */
export type DrawnGraph = Graph<DrawnNode, DrawnEdge>

export interface DrawnNode {
  x: number
  y: number
  size: number
  label: string
  kind: NodeKind
  /** Name of the colour, see `GraphColors.named`. */
  dye: string
}

export interface DrawnEdge {
  label: string
  /** Name of the colour; undefined for the neutral colour. */
  dye: string | undefined
}

export const createDrawnGraph = (): DrawnGraph => new Graph({ multi: true, type: 'directed' })

/**
 * Updates the drawn graph to the data. Returns the keys of the added nodes. An added node is placed next to a neighbour
 * that has a position, so that the graph is readable before it is arranged.
 */
export function updateDrawnGraph(graph: DrawnGraph, data: GraphData): ReadonlySet<string> {
  const nodes = new Map(data.nodes.map((node) => [String(node.id), node]))
  const edges = new Map(data.edges.map((edge) => [edgeKey(edge), edge]))
  for (const key of graph.edges()) if (!edges.has(key)) graph.dropEdge(key)
  for (const node of graph.nodes()) if (!nodes.has(node)) graph.dropNode(node)
  const added = new Set<string>()
  for (const [node, { label, kind }] of nodes) {
    if (graph.hasNode(node)) continue
    graph.addNode(node, { label, kind, dye: kind, x: Number.NaN, y: 0, size: 1 })
    added.add(node)
  }
  for (const [key, edge] of edges) {
    const [from, to] = [String(edge.from), String(edge.to)]
    if (graph.hasNode(from) && graph.hasNode(to) && !graph.hasEdge(key))
      graph.addEdgeWithKey(key, from, to, { label: edge.label, dye: edge.color })
    else if (graph.hasEdge(key)) graph.getEdgeAttributes(key).dye = edge.color
  }
  const sizeOf = sizesIn(graph)
  // Changes the attributes in place. This causes no event for each node; the renderer refreshes everything once.
  for (const [node, { label, kind, color = kind, size = 1 }] of nodes)
    Object.assign(graph.getNodeAttributes(node), {
      label,
      kind,
      dye: color,
      size: size * sizeOf(node),
    })
  placeAddedNodes(graph, added)
  return added
}

/** Moves nodes to given positions. Nodes without a position stay. Returns the keys of the nodes that have one. */
export function placeNodes(graph: DrawnGraph, positions: Positions): ReadonlySet<string> {
  const placed = new Set<string>()
  for (const [id, { x, y }] of positions) {
    const node = String(id)
    if (!graph.hasNode(node)) continue
    Object.assign(graph.getNodeAttributes(node), { x, y })
    placed.add(node)
  }
  return placed
}

/**
 * Returns a function from a node to its size. Sizes grow with the number of connections and shrink with the number of
 * nodes.
 */
function sizesIn(graph: DrawnGraph): (node: string) => number {
  const scale = Math.max(0.3, Math.min(1, Math.sqrt(400 / graph.order)))
  return (node) => scale * Math.min(18, 5 + 1.5 * Math.sqrt(graph.degree(node)))
}

/** Distance of an added node from the neighbour next to which it is placed. */
const initialDistance = 12
/** Successive nodes are placed in directions that differ by the golden angle, so that few overlap. */
const goldenAngle = Math.PI * (3 - Math.sqrt(5))

function placeAddedNodes(graph: DrawnGraph, added: ReadonlySet<string>): void {
  const positions = new Map<string, { readonly x: number; readonly y: number }>()
  const positionOf = (node: string) =>
    positions.get(node) ?? (added.has(node) ? undefined : graph.getNodeAttributes(node))
  for (const node of added) {
    const neighbor = graph.findNeighbor(node, (other) => positionOf(other) !== undefined)
    const { x, y } = (neighbor === undefined ? undefined : positionOf(neighbor)) ?? { x: 0, y: 0 }
    const count = positions.size + 1
    const distance = neighbor === undefined ? initialDistance * Math.sqrt(count) : initialDistance
    positions.set(node, {
      x: x + distance * Math.cos(goldenAngle * count),
      y: y + distance * Math.sin(goldenAngle * count),
    })
  }
  for (const [node, position] of positions) Object.assign(graph.getNodeAttributes(node), position)
}
