import type { GraphData, GraphEdge, GraphNode } from '@weft/react/graph-view'
import { fieldLabel } from '../../model/names.ts'
import { type AnswerNode, isNode, nameOf, typeOf } from './rows.ts'

/** Maximum number of records and values of an answer that a drawing shows. */
export const maxDrawn = 2_000

/** Returns an answer as a graph: records and values, and the connections between them. */
export function answerGraph(data: readonly unknown[]): GraphData {
  const nodes = new Map<number, GraphNode>()
  const edges = new Map<string, GraphEdge>()
  const visit = (node: AnswerNode) => {
    const type = typeOf(node)
    const content = node.data[type]
    const isText = typeof content === 'string'
    if (!nodes.has(node.id) && nodes.size >= maxDrawn) return
    if (!nodes.has(node.id))
      nodes.set(node.id, {
        id: node.id,
        label: isText ? content.slice(0, 60) : nameOf(node).slice(0, 60),
        kind: isText ? 'value' : 'composition',
      })
    if (isText || typeof content !== 'object' || content === null) return
    for (const [name, value] of Object.entries(content))
      for (const child of Array.isArray(value) ? value : [value]) {
        if (!isNode(child)) continue
        visit(child)
        const isReverse = name.endsWith('_reverse')
        const [from, to] = isReverse ? [child.id, node.id] : [node.id, child.id]
        if (nodes.has(from) && nodes.has(to))
          edges.set(`${from} ${to} ${name}`, {
            from,
            to,
            label: fieldLabel(name.replace(/_reverse$/, ''), type),
          })
      }
  }
  for (const node of data) if (isNode(node)) visit(node)
  return { nodes: [...nodes.values()], edges: [...edges.values()] }
}
