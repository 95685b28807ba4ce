import { type GraphData, type GraphEdge, type GraphNode, GraphView } from '@weft/react/graph-view'
import { useState } from 'react'
import { createRoot } from 'react-dom/client'

// A page with one graph of `?nodes=` concepts. Selecting a concept adds three neighbours.

const nodeCount = Number(new URLSearchParams(location.search).get('nodes') ?? 4)
const connecting = location.search.includes('connect')

/** Returns a tree with a few extra edges. The result depends only on the size. */
function createGraph(size: number): GraphData {
  const nodes: GraphNode[] = []
  const edges: GraphEdge[] = []
  for (let id = 1; id <= size; id++) {
    nodes.push({ id, label: `concept ${id}`, kind: kinds[id % 3] ?? 'value' })
    if (id > 1) edges.push({ from: id, to: Math.floor((id * 7) / 10) || 1, label: 'part of' })
    if (id % 5 === 0) edges.push({ from: id, to: ((id * 31) % size) + 1, label: 'like' })
  }
  return { nodes, edges }
}
const kinds = ['composition', 'type', 'value'] as const

function Page() {
  const [graph, setGraph] = useState(() => createGraph(nodeCount))
  const [selected, setSelected] = useState<number>()
  const [connected, setConnected] = useState('')
  const select = (id: number) => {
    setSelected(id)
    if (graph.nodes.some((node) => node.id === id * 1_000)) return
    const children = [0, 1, 2].map((n) => id * 1_000 + n)
    setGraph({
      nodes: [
        ...graph.nodes,
        ...children.map((id) => ({ id, label: `child ${id}`, kind: 'value' as const })),
      ],
      edges: [...graph.edges, ...children.map((to) => ({ from: id, to, label: 'child' }))],
    })
  }
  return (
    <>
      <GraphView
        label="A tree"
        graph={graph}
        status={{ status: 'ready' }}
        selected={selected}
        onSelect={select}
        emptyMessage="The graph is empty."
        {...(connecting && {
          onConnect: (from: number, to: number) => setConnected(`${from} to ${to}`),
        })}
      />
      <output>{connected}</output>
    </>
  )
}

createRoot(document.querySelector('#place') as Element).render(<Page />)
