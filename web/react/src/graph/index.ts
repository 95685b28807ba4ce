export type { GraphData, GraphEdge, GraphNode, GraphStatus, NodeKind } from './data.ts'
export { GraphView, type GraphViewProps } from './graph-view.tsx'
