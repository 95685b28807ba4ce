import type { Id, WeftError } from '@weft/client'
import { type GraphData, type GraphStatus, GraphView } from '@weft/react/graph'
import { useMemo, useState } from 'react'
import { addressOf } from './address.ts'
import { type Meaning, type Near, nearOf, type Sense } from './ask.ts'

/** The surroundings of a meaning. Whoever clicks one of them brings its surroundings as well. */
export function NearGraph({ chosen, near }: { chosen: Sense; near: Near }) {
  const [brought, setBrought] = useState<ReadonlyMap<Id, Near>>(new Map())
  const [status, setStatus] = useState<GraphStatus>({ status: 'ready' })
  const [selected, setSelected] = useState<Id>(chosen.id)
  const { graph, meanings } = useMemo(() => drawn(chosen, near, brought), [chosen, near, brought])

  const select = (id: Id) => {
    setSelected(id)
    if (id === chosen.id || !meanings.has(id) || brought.has(id)) return
    setStatus({ status: 'loading' })
    nearOf(id).then(
      (more) => {
        setBrought((before) => new Map(before).set(id, more))
        setStatus({ status: 'ready' })
      },
      (error: WeftError) => setStatus({ status: 'error', error, retry: () => select(id) }),
    )
  }
  const here = meanings.get(selected)
  return (
    <div className="words-graph">
      <GraphView
        label={`What ${chosen.word} hangs together with, as a graph`}
        graph={graph}
        names={names}
        status={status}
        selected={selected}
        onSelect={select}
        empty="Nothing to draw."
      />
      {here && here.id !== chosen.id && (
        <p>
          {here.gloss}.{' '}
          <a href={addressOf({ word: here.words[0] ?? '', sense: here.sense })}>
            Look up “{here.words[0]}”
          </a>
        </p>
      )}
    </div>
  )
}

const names = { composition: 'Meanings', type: 'Types', value: 'Words' }

function drawn(chosen: Sense, near: Near, brought: ReadonlyMap<Id, Near>) {
  const meanings = new Map<Id, Meaning>([[chosen.id, chosen]])
  const edges: GraphData['edges'][number][] = []
  const hang = (from: Id, { groups }: Near) => {
    for (const { says, members } of groups) {
      for (const member of members) {
        if (!meanings.has(member.id)) meanings.set(member.id, member)
        edges.push({ from, to: member.id, label: says })
      }
    }
  }
  hang(chosen.id, near)
  for (const [id, more] of brought) hang(id, more)
  const nodes: GraphData['nodes'][number][] = []
  for (const { id, words } of meanings.values())
    nodes.push({ id, label: words.slice(0, 2).join(', '), kind: 'composition' })
  return { graph: { nodes, edges }, meanings }
}
