import type { Id, WeftError } from '@weft/client'
import { type GraphData, type GraphStatus, GraphView } from '@weft/react/graph-view'
import { useMemo, useState } from 'react'
import { addressOf } from './address.ts'
import { loadRelated, type Meaning, type RelatedMeanings, type Sense } from './load-words.ts'

interface RelatedGraphProps {
  readonly chosen: Sense
  readonly related: RelatedMeanings
}

/** A graph of the meanings related to a sense. Selecting a meaning adds the meanings related to it. */
export function RelatedGraph({ chosen, related }: RelatedGraphProps) {
  const [expanded, setExpanded] = useState<ReadonlyMap<Id, RelatedMeanings>>(new Map())
  const [status, setStatus] = useState<GraphStatus>({ status: 'ready' })
  const [selectedId, setSelectedId] = useState<Id>(chosen.id)
  const { graph, meanings } = useMemo(
    () => buildGraph(chosen, related, expanded),
    [chosen, related, expanded],
  )

  const select = (id: Id) => {
    setSelectedId(id)
    if (id === chosen.id || !meanings.has(id) || expanded.has(id)) return
    setStatus({ status: 'loading' })
    loadRelated(id).then(
      (more) => {
        setExpanded((before) => new Map(before).set(id, more))
        setStatus({ status: 'ready' })
      },
      (error: WeftError) => setStatus({ status: 'error', error, retry: () => select(id) }),
    )
  }
  const selected = meanings.get(selectedId)
  return (
    <div className="words-graph">
      <GraphView
        label={`Meanings related to “${chosen.word}”, as a graph`}
        graph={graph}
        kindNames={kindNames}
        status={status}
        selected={selectedId}
        onSelect={select}
        emptyMessage="There are no related meanings."
      />
      {selected && selected.id !== chosen.id && (
        <p>
          {selected.gloss}.{' '}
          <a href={addressOf({ word: selected.words[0] ?? '', sense: selected.sense })}>
            Look up “{selected.words[0]}”
          </a>
        </p>
      )}
    </div>
  )
}

const kindNames = { composition: 'Meanings', type: 'Types', value: 'Words' }

function buildGraph(
  chosen: Sense,
  related: RelatedMeanings,
  expanded: ReadonlyMap<Id, RelatedMeanings>,
) {
  const meanings = new Map<Id, Meaning>([[chosen.id, chosen]])
  const edges: GraphData['edges'][number][] = []
  const addRelated = (from: Id, { groups }: RelatedMeanings) => {
    for (const { label, members } of groups) {
      for (const member of members) {
        if (!meanings.has(member.id)) meanings.set(member.id, member)
        edges.push({ from, to: member.id, label })
      }
    }
  }
  addRelated(chosen.id, related)
  for (const [id, more] of expanded) addRelated(id, more)
  const nodes: GraphData['nodes'][number][] = []
  for (const { id, words } of meanings.values())
    nodes.push({ id, label: words.slice(0, 2).join(', '), kind: 'composition' })
  return { graph: { nodes, edges }, meanings }
}
