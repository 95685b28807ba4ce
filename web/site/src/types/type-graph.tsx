import { type GraphData, GraphView } from '@weft/react/graph-view'
import { useMemo } from 'react'
import type { Type } from './load-types.ts'

interface TypeGraphProps {
  readonly types: readonly Type[]
  readonly selected: Type | undefined
  readonly selectType: (name: string) => void
}

/** The tree of types, as a graph. */
export function TypeGraph({ types, selected, selectType }: TypeGraphProps) {
  const graph = useMemo(() => typeGraph(types), [types])
  return (
    <GraphView
      label="Types in this store, as a graph"
      graph={graph}
      kindNames={kindNames}
      status={readyStatus}
      selected={selected?.id}
      onSelect={(id) => {
        const type = types.find((type) => type.id === id)
        if (type) selectType(type.name)
      }}
      emptyMessage="There are no types."
    />
  )
}

const readyStatus = { status: 'ready' } as const
const kindNames = { composition: 'Records', type: 'Types', value: 'Values' }

const typeGraph = (types: readonly Type[]): GraphData => ({
  nodes: types.map(({ id, name }) => ({ id, label: name, kind: 'type' })),
  edges: types.flatMap(({ id, category }) =>
    id === category ? [] : [{ from: id, to: category, label: 'belongs to' }],
  ),
})
