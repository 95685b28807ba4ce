declare module 'graphology-layout-forceatlas2/iterate.js' {
  import type { ForceAtlas2Settings } from 'graphology-layout-forceatlas2'

  /**
   * Moves all nodes by one iteration. A node has ten numbers and an edge three; `helpers.js` of the package lists them.
   */
  const iterate: (settings: ForceAtlas2Settings, nodes: Float32Array, edges: Float32Array) => void
  // biome-ignore lint/style/noDefaultExport: declares the default export of the package
  export default iterate
}
