import { type GraphData, GraphView } from '@weft/react/graph'
import { useMemo } from 'react'
import type { Type } from './ask.ts'

interface DrawnProps {
  readonly types: readonly Type[]
  readonly chosen: Type | undefined
  readonly look: (name: string) => void
}

/** The tree of types as a graph. */
export function Drawn({ types, chosen, look }: DrawnProps) {
  const graph = useMemo(() => drawTypes(types), [types])
  return (
    <GraphView
      label="The types of this store, as a graph"
      graph={graph}
      names={names}
      status={ready}
      selected={chosen?.id}
      onSelect={(id) => {
        const type = types.find((type) => type.id === id)
        if (type) look(type.name)
      }}
      empty="There are no types."
    />
  )
}

const ready = { status: 'ready' } as const
const names = { composition: 'Records', type: 'Types', value: 'Values' }

const drawTypes = (types: readonly Type[]): GraphData => ({
  nodes: types.map(({ id, name }) => ({ id, label: name, kind: 'type' })),
  edges: types.flatMap(({ id, category }) =>
    id === category ? [] : [{ from: id, to: category, label: 'belongs to' }],
  ),
})
