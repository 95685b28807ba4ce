import type { Mutation, Receipt } from '../graph/mutation.ts'
import type { Graph } from './graph.ts'

/** Takes in what the server made of a mutation, which takes the place of the pending one. */
export function settle(graph: Graph, receipt: Receipt, m: Mutation | undefined): void {
  graph.confirmations++
  graph.join(receipt)
  graph.add(receipt)
  const { removeConcepts, removeConnections } = m ?? receipt
  graph.drop(removeConcepts, removeConnections)
  if (m) graph.undo(m)
}
