/**
 * A drawing of concepts and connections.
 *
 *   GraphView
 *    ├─ GraphDrawing ▶ GraphRenderer WebGL (Sigma): colours, labels, camera, clicks     (renderer.ts)
 *    │                ├─ DrawnGraph  nodes with positions, updated from GraphData       (drawn-graph.ts)
 *    │                ├─ DragHandler moves nodes, or connects two                       (drag.ts)
 *    │                ├─ LabelPainter leaves out labels that would overlap              (labels.ts)
 *    │                └─ arrange     ForceAtlas2 in a worker                            (layout.ts, layout-worker.ts)
 *    ├─ Legend
 *    └─ Navigator                    the same graph as text and buttons, for keyboards and screen readers
 *
 * GraphDrawing is the drawing alone, with controls, positions, pinned nodes and badges, for applications that show the text
 * themselves.
 *
 * Nodes keep their positions when data is added: only new nodes are arranged. Without WebGL, the navigator remains.
 *
 * Costs: an update is linear in the size of the graph; 120 to 400 layout iterations run off the main thread. Above
 * 2,000 nodes, nodes are drawn as points, edges as lines, and only new nodes and their neighbours are arranged. Sigma
 * and the layout add about 45 KB compressed, so load this entry point on demand.
 */
export {
  type GraphBadge,
  type GraphControls,
  GraphDrawing,
  type GraphDrawingProps,
} from './drawing.tsx'
export type {
  GraphData,
  GraphEdge,
  GraphNode,
  GraphStatus,
  NodeKind,
  Position,
  Positions,
} from './graph-data.ts'
export { GraphView, type GraphViewProps } from './graph-view.tsx'
