import type { ForceAtlas2Settings } from 'graphology-layout-forceatlas2'

/** The message of the page to the layout worker. The page sends it once. */
export interface LayoutTask {
  /** `numbersPerNode` numbers for each node, in the format of ForceAtlas2. */
  readonly nodes: Float32Array
  /** Source, target and weight of each edge. */
  readonly edges: Float32Array
  readonly settings: ForceAtlas2Settings
  readonly iterations: number
}

/** Numbers per node in the format of ForceAtlas2; the first two are x and y. */
export const numbersPerNode = 10

/** A message of the worker to the page. The worker posts several. */
export interface LayoutUpdate {
  /** x and y of each node, in the order of the task. */
  readonly positions: Float32Array
  readonly done: boolean
}
