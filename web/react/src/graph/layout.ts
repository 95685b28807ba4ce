import forceAtlas2 from 'graphology-layout-forceatlas2'
import type { DrawnGraph } from './drawn.ts'
import { type Moved, perNode, type Task } from './layout-worker.ts'

/**
 * Arranges a graph by forces, in a worker: `moved` hears of new places a few times in a second, and that it
 * is done. Nodes that are fixed stay. The function returned stops it.
 */
export function arrange(
  graph: DrawnGraph,
  fixed: (node: string) => boolean,
  moved: (nodes: readonly string[], moved: Moved) => void,
): () => void {
  const nodes = graph.order > large ? around(graph, fixed) : graph.nodes()
  const worker = new Worker(new URL('./layout-worker.ts', import.meta.url), { type: 'module' })
  worker.addEventListener('message', ({ data }: MessageEvent<Moved>) => {
    moved(nodes, data)
    if (data.done) worker.terminate()
  })
  worker.postMessage(taskOf(graph, nodes, fixed))
  return () => worker.terminate()
}

/** In graphs of more nodes than this, what comes minds its neighbours only. */
const large = 2_000

/** What is not fixed, and what hangs on it. */
function around(graph: DrawnGraph, fixed: (node: string) => boolean): readonly string[] {
  const loose = graph.filterNodes((node) => !fixed(node))
  if (loose.length === graph.order) return loose
  return [...new Set(loose.flatMap((node) => [node, ...graph.neighbors(node)]))]
}

function taskOf(
  graph: DrawnGraph,
  nodes: readonly string[],
  fixed: (node: string) => boolean,
): Task {
  const rows = new Map(nodes.map((node, i) => [node, i * perNode]))
  const places = new Float32Array(nodes.length * perNode)
  for (const [node, at] of rows) {
    const { x, y, size } = graph.getNodeAttributes(node)
    places.set([x, y, 0, 0, 0, 0, 1 + graph.degree(node), 1, size, fixed(node) ? 1 : 0], at)
  }
  const links: number[] = []
  for (const { source, target } of graph.edgeEntries()) {
    const [from, to] = [rows.get(source), rows.get(target)]
    if (from !== undefined && to !== undefined) links.push(from, to, 1)
  }
  const many = nodes.length > large
  const part = nodes.length < graph.order && { gravity: 0 }
  const settings = { ...defaults, ...forceAtlas2.inferSettings(nodes.length), ...part }
  return { nodes: places, edges: Float32Array.from(links), settings, iterations: many ? 120 : 400 }
}

const defaults = {
  linLogMode: false,
  outboundAttractionDistribution: false,
  adjustSizes: false,
  edgeWeightInfluence: 1,
}
