/**
 * A worker that arranges a graph by ForceAtlas2. It receives one `LayoutTask` and posts `LayoutUpdate`s until it is
 * done.
 */
import iterate from 'graphology-layout-forceatlas2/iterate.js'
import { type LayoutTask, type LayoutUpdate, numbersPerNode } from './layout-task.ts'

/** Milliseconds between two updates. */
const updateInterval = 120
/** Milliseconds after which the layout ends, even if iterations are left. */
const maxDuration = 2_000

addEventListener('message', ({ data }: MessageEvent<LayoutTask>) => {
  const { nodes, edges, settings, iterations } = data
  const started = performance.now()
  let lastUpdate = started
  for (let i = 1; i <= iterations; i++) {
    iterate(settings, nodes, edges)
    const done = i === iterations || performance.now() - started > maxDuration
    if (!done && performance.now() - lastUpdate < updateInterval) continue
    lastUpdate = performance.now()
    const positions = positionsOf(nodes)
    const update: LayoutUpdate = { positions, done }
    postMessage(update, { transfer: [positions.buffer] })
    if (done) return
  }
})

function positionsOf(nodes: Float32Array): Float32Array<ArrayBuffer> {
  const positions = new Float32Array((nodes.length / numbersPerNode) * 2)
  for (let i = 0; i < positions.length; i++)
    positions[i] = nodes[(i >> 1) * numbersPerNode + (i & 1)] as number
  return positions
}
