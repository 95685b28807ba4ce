import type { Id } from '@weft/client'
import { type KeyboardEvent, useRef, useState } from 'react'
import type { GraphData, GraphNode, KindNames, Step } from './data.ts'

interface WalkProps {
  readonly graph: GraphData
  readonly steps: ReadonlyMap<Id, readonly Step[]>
  readonly selected: GraphNode | undefined
  readonly names: KindNames
  readonly choose: (id: Id) => void
}

/** The graph in words: where one stands, where one can go from there, and everything there is. */
export function Walk({ graph, steps, selected, names, choose }: WalkProps) {
  const here = useRef<HTMLDivElement>(null)
  const trail = useRef<Id[]>([])
  const go = (id: Id) => {
    if (selected) trail.current.push(selected.id)
    choose(id)
    here.current?.focus({ preventScroll: true })
  }
  const back = () => {
    const last = trail.current.pop()
    if (last !== undefined) choose(last)
    here.current?.focus({ preventScroll: true })
  }
  const around = selected ? (steps.get(selected.id) ?? []) : []
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: arrow keys only repeat what its buttons do */}
      <div className="weft-graph-walk" onKeyDown={(event) => steer(event, back)}>
        <div ref={here} tabIndex={-1} className="weft-graph-here" aria-live="polite">
          {selected ? <Here node={selected} links={around.length} /> : <p>Choose a concept.</p>}
        </div>
        {selected && <Steps key={selected.id} steps={around} go={go} />}
      </div>
      <Everything nodes={graph.nodes} names={names} choose={go} />
    </>
  )
}

function Here({ node, links }: { node: GraphNode; links: number }) {
  return (
    <p>
      <strong>{node.label}</strong>{' '}
      <span className="weft-graph-quiet">
        {links === 1 ? '1 connection' : `${links} connections`}
      </span>
    </p>
  )
}

/** As many lines as somebody may want to read at once. */
const page = 50

function Steps({ steps, go }: { steps: readonly Step[]; go: (id: Id) => void }) {
  const [shown, setShown] = useState(page)
  return (
    <>
      <ul className="weft-graph-list">
        {steps.slice(0, shown).map((step) => (
          <li key={`${step.edge.label} ${step.out} ${step.far.id}`}>
            <button type="button" onClick={() => go(step.far.id)}>
              <Along step={step} />
            </button>
          </li>
        ))}
      </ul>
      <More all={steps.length} shown={shown} show={setShown} />
    </>
  )
}

/** Reads as a sentence in the direction of the connection. */
function Along({ step: { edge, out, far } }: { step: Step }) {
  const label = (
    <span className="weft-graph-quiet">
      {edge.label} <span aria-hidden="true">→</span> {out ? '' : 'this'}
    </span>
  )
  return out ? (
    <>
      {label} {far.label}
    </>
  ) : (
    <>
      {far.label} {label}
    </>
  )
}

interface EverythingProps {
  readonly nodes: readonly GraphNode[]
  readonly names: KindNames
  readonly choose: (id: Id) => void
}

function Everything({ nodes, names, choose }: EverythingProps) {
  const [open, setOpen] = useState(false)
  const [text, setText] = useState('')
  const [shown, setShown] = useState(page)
  const wanted = text.trim().toLowerCase()
  const found = open ? nodes.filter(({ label }) => label.toLowerCase().includes(wanted)) : []
  return (
    <details className="weft-graph-all" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{nodes.length === 1 ? 'The only concept' : `All ${nodes.length} concepts`}</summary>
      {nodes.length > 10 && (
        <input
          type="search"
          aria-label="Find in this graph"
          placeholder="Find in this graph"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      )}
      <ul className="weft-graph-list">
        {found.slice(0, shown).map(({ id, label, kind }) => (
          <li key={id}>
            <button type="button" onClick={() => choose(id)}>
              {label} <span className="weft-graph-quiet">{names[kind]}</span>
            </button>
          </li>
        ))}
      </ul>
      <More all={found.length} shown={shown} show={setShown} />
    </details>
  )
}

function More(list: { all: number; shown: number; show: (many: number) => void }) {
  const { all, shown, show } = list
  if (all <= shown) return null
  return (
    <button type="button" className="weft-graph-more" onClick={() => show(shown + page)}>
      Show more ({all - shown} left)
    </button>
  )
}

/** Up and down walk through the buttons; left goes back, right goes where the button leads. */
function steer(event: KeyboardEvent<HTMLElement>, back: () => void): void {
  const buttons = Array.from(event.currentTarget.querySelectorAll('button'))
  const at = buttons.indexOf(document.activeElement as HTMLButtonElement)
  if (event.key === 'ArrowDown') buttons[Math.min(at + 1, buttons.length - 1)]?.focus()
  else if (event.key === 'ArrowUp') buttons[Math.max(at - 1, 0)]?.focus()
  else if (event.key === 'ArrowRight') buttons[at]?.click()
  else if (event.key === 'ArrowLeft') back()
  else return
  event.preventDefault()
}
