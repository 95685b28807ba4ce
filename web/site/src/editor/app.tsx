import type { Id } from '@weft/client'
import { WeftProvider } from '@weft/react'
import { type GraphStatus, GraphView } from '@weft/react/graph'
import { useMemo, useState } from 'react'
import { weft } from './client.ts'
import { drawIdeas } from './draw.ts'
import { example } from './example.ts'
import { type Idea, isLinked, makeIdea, newKey, relink } from './idea.ts'
import { Adder, Inspector } from './inspector.tsx'
import { Sketch } from './sketch.tsx'
import { SyncLine } from './sync-line.tsx'
import { type Removed, Undo } from './undo.tsx'
import { most, useIdeas } from './use-ideas.ts'
import './editor.css'

/** A small graph that is edited without a network. */
export function ConceptEditor() {
  return (
    <WeftProvider client={weft}>
      <Editor />
    </WeftProvider>
  )
}

function Editor() {
  const { state, ideas } = useIdeas()
  const [selected, setSelected] = useState<Id>()
  const [how, setHow] = useState('is linked with')
  const [removed, setRemoved] = useState<Removed>()
  const said = JSON.stringify(ideas)
  const graph = useMemo(() => drawIdeas(JSON.parse(said) as Idea[]), [said])
  const here = ideas.find(({ id }) => id === selected)
  const empty = ideas.length === 0 && state.status === 'ready'

  const connect = (from: Id, to: Id) => {
    const [one, other] = [from, to].map((id) => ideas.find((idea) => idea.id === id))
    if (!one || !other || one === other) return
    const link = { to: other.key, how: how.trim() || 'is linked with' }
    if (!isLinked(one, link)) relink(weft, one, [...one.links, link])
    setSelected(from)
  }
  const add = (name: string, kind: string) =>
    setSelected(makeIdea(weft, { key: newKey(), name, kind, links: [] }))
  const remove = (idea: Idea) => {
    weft.remove(idea.id)
    setRemoved({ what: idea.name, undo: () => setSelected(makeIdea(weft, idea)) })
    setSelected(undefined)
  }
  const unlink = (idea: Idea, link: Idea['links'][number]) => {
    const links = idea.links.filter(({ to, how }) => to !== link.to || how !== link.how)
    relink(weft, idea, links)
    setRemoved({
      what: `${idea.name} ${link.how}`,
      undo: () => relink(weft, idea, [...links, link]),
    })
  }
  const status: GraphStatus =
    state.status === 'error'
      ? { status: 'error', error: state.error, retry: () => location.reload() }
      : { status: state.status }
  return (
    <section className="editor-app" aria-label="The editor">
      <SyncLine />
      <div className="halves">
        <div>
          {empty ? (
            <Sketch />
          ) : (
            <GraphView
              label="Your ideas, as a graph"
              graph={graph}
              names={names}
              status={status}
              selected={selected}
              onSelect={setSelected}
              onConnect={connect}
              empty="There are no ideas yet."
            />
          )}
          {ideas.length >= most && (
            <p className="editor-quiet">These are the newest {most} ideas.</p>
          )}
        </div>
        <div className="editor-side">
          <Adder add={add} />
          {empty && (
            <button type="button" className="button quiet" onClick={() => example(weft)}>
              Begin with an example
            </button>
          )}
          {here ? (
            <Inspector
              key={here.key}
              idea={here}
              ideas={ideas}
              how={how}
              setHow={setHow}
              connect={(to) => connect(here.id, to)}
              unlink={(link) => unlink(here, link)}
              remove={() => remove(here)}
            />
          ) : (
            ideas.length > 0 && (
              <p className="editor-quiet">
                Choose an idea in the graph or in the list to change it. Drag from one idea to
                another to link them.
              </p>
            )
          )}
        </div>
      </div>
      <p className="editor-quiet">
        Each idea is a record of type <code>the_idea</code>, and its links are a part of it: the
        browser library writes records, not single connections. Where a server takes writes from
        visitors, everybody who opens this page sees the ideas and can change them.
      </p>
      {removed && <Undo key={removed.what} removed={removed} leave={() => setRemoved(undefined)} />}
    </section>
  )
}

const names = { composition: 'Records', type: 'Types', value: 'Ideas' }
