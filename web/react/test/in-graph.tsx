import { type GraphData, type GraphEdge, type GraphNode, GraphView } from '@weft/react/graph'
import { useState } from 'react'
import { createRoot } from 'react-dom/client'

// A page with one graph in it. `?nodes=` says how large; a click brings three more concepts.

const many = Number(new URLSearchParams(location.search).get('nodes') ?? 4)
const connecting = location.search.includes('connect')

/** A tree with a few threads across, the same every time. */
function wood(size: number): GraphData {
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
  const [graph, setGraph] = useState(() => wood(many))
  const [selected, setSelected] = useState<number>()
  const [said, say] = useState('')
  const select = (id: number) => {
    setSelected(id)
    if (graph.nodes.some((node) => node.id === id * 1_000)) return
    const fresh = [0, 1, 2].map((n) => id * 1_000 + n)
    setGraph({
      nodes: [
        ...graph.nodes,
        ...fresh.map((id) => ({ id, label: `child ${id}`, kind: 'value' as const })),
      ],
      edges: [...graph.edges, ...fresh.map((to) => ({ from: id, to, label: 'brought' }))],
    })
  }
  return (
    <>
      <GraphView
        label="A wood"
        graph={graph}
        status={{ status: 'ready' }}
        selected={selected}
        onSelect={select}
        empty="Nothing grows here."
        {...(connecting && { onConnect: (from: number, to: number) => say(`${from} to ${to}`) })}
      />
      <output>{said}</output>
    </>
  )
}

createRoot(document.querySelector('#place') as Element).render(<Page />)
