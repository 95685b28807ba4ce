import forceAtlas2 from 'graphology-layout-forceatlas2'
import type { DrawnGraph } from './drawn-graph.ts'
import { type LayoutTask, type LayoutUpdate, numbersPerNode } from './layout-task.ts'

/**
 * Arranges a graph by forces in a worker. Fixed nodes keep their positions.
 *
 * @param onUpdate called with new positions a few times per second, and once with `done`
 * @returns a function that stops the worker
 */
export function arrange(
  graph: DrawnGraph,
  isFixed: (node: string) => boolean,
  onUpdate: (nodes: readonly string[], update: LayoutUpdate) => void,
): () => void {
  const nodes = graph.order > largeGraph ? looseNodesAndNeighbors(graph, isFixed) : graph.nodes()
  const worker = new Worker(new URL('./layout-worker.ts', import.meta.url), { type: 'module' })
  worker.addEventListener('message', ({ data }: MessageEvent<LayoutUpdate>) => {
    onUpdate(nodes, data)
    if (data.done) worker.terminate()
  })
  worker.postMessage(createTask(graph, nodes, isFixed))
  return () => worker.terminate()
}

/**
 * A graph with more nodes than this is drawn more simply, and only its nodes that are not fixed and their neighbours
 * take part in the layout.
 */
export const largeGraph = 2_000

/** Returns the nodes that are not fixed and their neighbours. */
function looseNodesAndNeighbors(
  graph: DrawnGraph,
  isFixed: (node: string) => boolean,
): readonly string[] {
  const loose = graph.filterNodes((node) => !isFixed(node))
  if (loose.length === graph.order) return loose
  return [...new Set(loose.flatMap((node) => [node, ...graph.neighbors(node)]))]
}

function createTask(
  graph: DrawnGraph,
  nodes: readonly string[],
  isFixed: (node: string) => boolean,
): LayoutTask {
  const offsets = new Map(nodes.map((node, i) => [node, i * numbersPerNode]))
  const rows = new Float32Array(nodes.length * numbersPerNode)
  for (const [node, offset] of offsets) {
    const { x, y, size } = graph.getNodeAttributes(node)
    rows.set([x, y, 0, 0, 0, 0, 1 + graph.degree(node), 1, size, isFixed(node) ? 1 : 0], offset)
  }
  const edges: number[] = []
  for (const { source, target } of graph.edgeEntries()) {
    const [from, to] = [offsets.get(source), offsets.get(target)]
    if (from !== undefined && to !== undefined) edges.push(from, to, 1)
  }
  // In the layout of a part, gravity would pull the part to the centre of the whole graph.
  const partSettings = nodes.length < graph.order && { gravity: 0 }
  return {
    nodes: rows,
    edges: Float32Array.from(edges),
    settings: { ...defaults, ...forceAtlas2.inferSettings(nodes.length), ...partSettings },
    iterations: nodes.length > largeGraph ? 120 : 400,
  }
}

const defaults = {
  linLogMode: false,
  outboundAttractionDistribution: false,
  adjustSizes: false,
  edgeWeightInfluence: 1,
}
