import type { ForceAtlas2Settings } from 'graphology-layout-forceatlas2'
import iterate from 'graphology-layout-forceatlas2/iterate.js'

/** What a worker is given to arrange, and how often it moves everything. */
export interface Task {
  readonly nodes: Float32Array
  readonly edges: Float32Array
  readonly settings: ForceAtlas2Settings
  readonly iterations: number
}

/** How many numbers stand for a node; the first two are its place. */
export const perNode = 10
/** How often the page hears where things have got to, in milliseconds. */
const pause = 120

/** Two numbers for each node, in the order of the task. */
export interface Moved {
  readonly places: Float32Array
  readonly done: boolean
}

addEventListener('message', ({ data }: MessageEvent<Task>) => {
  const { nodes, edges, settings, iterations } = data
  let told = performance.now()
  for (let i = 1; i <= iterations; i++) {
    iterate(settings, nodes, edges)
    const done = i === iterations
    if (!done && performance.now() - told < pause) continue
    told = performance.now()
    const places = placesOf(nodes)
    const moved: Moved = { places, done }
    postMessage(moved, { transfer: [places.buffer] })
  }
})

function placesOf(nodes: Float32Array): Float32Array<ArrayBuffer> {
  const places = new Float32Array((nodes.length / perNode) * 2)
  for (let at = 0; at < places.length; at++)
    places[at] = nodes[(at >> 1) * perNode + (at & 1)] as number
  return places
}
