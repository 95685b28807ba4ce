import { GraphView } from '@weft/react/graph-view'
import { useMemo, useState } from 'react'
import { numberText } from '../../model/names.ts'
import { answerGraph, maxDrawn } from './answer-graph.ts'

const ready = { status: 'ready' } as const
const kindNames = { composition: 'Records', type: 'Types', value: 'Values' }

/** An answer as a drawing. */
export function AnswerGraphView({ data }: { data: readonly unknown[] }) {
  const graph = useMemo(() => answerGraph(data), [data])
  const [selected, select] = useState<number>()
  // The answer says above that it has no records.
  if (data.length === 0) return null
  return (
    <div className="answer-graph">
      {graph.nodes.length >= maxDrawn && (
        <p className="soft">
          The drawing shows the first {numberText(maxDrawn)} records and values.
        </p>
      )}
      <GraphView
        label="The answer, as a graph"
        graph={graph}
        kindNames={kindNames}
        status={ready}
        selected={selected}
        onSelect={select}
        emptyMessage=""
      />
    </div>
  )
}
