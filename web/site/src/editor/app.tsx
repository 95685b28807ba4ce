import { useWeft, WeftProvider } from '@weft/react'
import { type GraphStatus, GraphView } from '@weft/react/graph-view'
import { useMemo } from 'react'
import { weft } from './client.ts'
import { createExampleIdeas } from './example.ts'
import type { Idea } from './idea.ts'
import { ideaGraph } from './idea-graph.ts'
import { IdeaForm, Inspector } from './inspector.tsx'
import { Sketch } from './sketch.tsx'
import { SyncLine } from './sync-line.tsx'
import { Undo } from './undo.tsx'
import { type EditorState, useEditor } from './use-editor.ts'
import { maxShownIdeas } from './use-ideas.ts'
import './editor.css'

/** An editor for a graph of ideas that works without a network. */
export function ConceptEditor() {
  return (
    <WeftProvider client={weft}>
      <Editor />
    </WeftProvider>
  )
}

function Editor() {
  const editor = useEditor()
  const { state, ideas, deletion, dismissDeletion } = editor
  const isEmpty = ideas.length === 0 && state.status === 'ready'
  return (
    <section className="editor-app" aria-label="Concept editor">
      <SyncLine />
      <div className="halves">
        <div>
          {isEmpty ? <Sketch /> : <IdeaGraph editor={editor} />}
          {ideas.length >= maxShownIdeas && (
            <p className="editor-quiet">Showing the newest {maxShownIdeas} ideas.</p>
          )}
        </div>
        <SidePanel editor={editor} isEmpty={isEmpty} />
      </div>
      <p className="editor-quiet">
        Each idea is a record of type <code>the_idea</code> that contains its links. If this server
        accepts changes from guests, all visitors see the ideas and can change them.
      </p>
      {deletion && <Undo key={deletion.name} deletion={deletion} dismiss={dismissDeletion} />}
    </section>
  )
}

const kindNames = { composition: 'Records', type: 'Types', value: 'Ideas' }

function IdeaGraph({ editor }: { editor: EditorState }) {
  const { state, ideas, selected, select, connect } = editor
  const json = JSON.stringify(ideas)
  const graph = useMemo(() => ideaGraph(JSON.parse(json) as Idea[]), [json])
  const status: GraphStatus =
    state.status === 'error'
      ? { status: 'error', error: state.error, retry: () => location.reload() }
      : { status: state.status }
  return (
    <GraphView
      label="Your ideas, as a graph"
      graph={graph}
      kindNames={kindNames}
      status={status}
      selected={selected?.id}
      onSelect={select}
      onConnect={connect}
      emptyMessage="There are no ideas yet."
    />
  )
}

function SidePanel({ editor, isEmpty }: { editor: EditorState; isEmpty: boolean }) {
  const { ideas, selected, relation, setRelation, add, connect, unlink, remove } = editor
  const weft = useWeft()
  return (
    <div className="editor-side">
      <IdeaForm add={add} />
      {isEmpty && (
        <button type="button" className="button quiet" onClick={() => createExampleIdeas(weft)}>
          Load an example
        </button>
      )}
      {selected && (
        <Inspector
          key={selected.key}
          idea={selected}
          ideas={ideas}
          relation={relation}
          setRelation={setRelation}
          connect={(to) => connect(selected.id, to)}
          unlink={(link) => unlink(selected, link)}
          remove={() => remove(selected)}
        />
      )}
      {!selected && ideas.length > 0 && (
        <p className="editor-quiet">
          Select an idea in the graph or in the list to edit it. Drag from one idea to another to
          link them.
        </p>
      )}
    </div>
  )
}
