declare module 'graphology-layout-forceatlas2/iterate.js' {
  import type { ForceAtlas2Settings } from 'graphology-layout-forceatlas2'

  /** Moves the nodes once. A node is ten numbers, an edge three; helpers.js of the package says which. */
  const iterate: (settings: ForceAtlas2Settings, nodes: Float32Array, edges: Float32Array) => void
  // biome-ignore lint/style/noDefaultExport: the package has it so
  export default iterate
}
