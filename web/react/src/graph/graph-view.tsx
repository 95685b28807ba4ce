import type { Id } from '@weft/client'
import { useEffect, useMemo, useRef, useState } from 'react'
import { type GraphData, type GraphStatus, type KindNames, stepsOf } from './data.ts'
import { openStage, type Stage } from './stage.ts'
import { Walk } from './walk.tsx'
import './graph.css'

export interface GraphViewProps {
  /** What the graph shows, for screen readers. */
  readonly label: string
  readonly graph: GraphData
  /** What the kinds of concepts are called here. */
  readonly names?: KindNames
  readonly status: GraphStatus
  /** The concept one stands on. */
  readonly selected: Id | undefined
  /** Told when a concept is clicked or walked to. Whoever wants to bring its neighbours does so now. */
  readonly onSelect: (id: Id) => void
  /** With it, dragging from one concept to another connects them; without it, it moves them. */
  readonly onConnect?: (from: Id, to: Id) => void
  /** What to say while there is nothing to draw. */
  readonly empty: string
}

/**
 * Draws concepts and connections in WebGL, and says the same in words, with keys to walk along the
 * connections. What is drawn stays where it is when more comes.
 */
export function GraphView(props: GraphViewProps) {
  const { label, graph, names = usual, status, selected, onSelect, empty } = props
  const steps = useMemo(() => stepsOf(graph), [graph])
  const here = useMemo(() => graph.nodes.find(({ id }) => id === selected), [graph, selected])
  return (
    <section className="weft-graph" aria-label={label} aria-busy={status.status === 'loading'}>
      {graph.nodes.length === 0 ? (
        <p className="weft-graph-empty">{status.status === 'ready' ? empty : 'Please Wait...'}</p>
      ) : (
        <>
          <Drawing {...props} />
          <Legend graph={graph} names={names} />
          <Walk graph={graph} steps={steps} selected={here} names={names} choose={onSelect} />
        </>
      )}
      {status.status === 'error' && (
        <p className="weft-graph-error" role="alert">
          Error: {status.error.message}{' '}
          <button type="button" onClick={status.retry}>
            Try again
          </button>
        </p>
      )}
    </section>
  )
}

function Drawing(props: GraphViewProps) {
  const place = useRef<HTMLDivElement>(null)
  const stage = useRef<Stage>(undefined)
  const latest = useRef(props)
  const [blind, setBlind] = useState(noWebGL)
  const { graph, selected } = props

  useEffect(() => {
    latest.current = props
  })
  useEffect(() => {
    if (blind || place.current === null) return
    const opened = openStage(place.current, () => ({
      clicked: (id) => latest.current.onSelect(id),
      connected: latest.current.onConnect,
      lost: () => setBlind(true),
    }))
    stage.current = opened
    const ungrip = loosen(place.current)
    return () => {
      stage.current = undefined
      ungrip()
      opened.close()
    }
  }, [blind])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new stage has to be filled as well
  useEffect(() => stage.current?.show(graph), [graph, blind])
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is chosen may just have come
  useEffect(() => stage.current?.choose(selected), [graph, selected, blind])

  if (blind)
    return (
      <p className="weft-graph-note">This browser draws no WebGL. Here is the graph in words.</p>
    )
  return (
    <div className="weft-graph-frame">
      <div ref={place} className="weft-graph-stage" aria-hidden="true" />
      <div className="weft-graph-tools" role="toolbar" aria-label="View of the graph">
        <Tool name="Zoom in" sign="+" use={() => stage.current?.zoom('in')} />
        <Tool name="Zoom out" sign="−" use={() => stage.current?.zoom('out')} />
        <Tool name="Show all of it" sign="⤢" use={() => stage.current?.fit()} />
        <Tool name="Arrange anew" sign="↻" use={() => stage.current?.reset()} />
      </div>
    </div>
  )
}

function Tool({ name, sign, use }: { name: string; sign: string; use: () => void }) {
  return (
    <button type="button" aria-label={name} title={name} onClick={use}>
      <span aria-hidden="true">{sign}</span>
    </button>
  )
}

const usual: KindNames = { composition: 'Records', type: 'Types', value: 'Values' }

function Legend({ graph, names }: { graph: GraphData; names: KindNames }) {
  const kinds = new Set(graph.nodes.map(({ kind }) => kind))
  return (
    <p className="weft-graph-legend">
      {[...kinds].map((kind) => (
        <span key={kind} className={`weft-graph-dye-${kind}`}>
          {names[kind]}
        </span>
      ))}
      <span className="weft-graph-dye-chosen">Chosen</span>
    </p>
  )
}

function noWebGL(): boolean {
  const canvas = document.createElement('canvas')
  const context = canvas.getContext('webgl2')
  context?.getExtension('WEBGL_lose_context')?.loseContext()
  return context === null
}

/** Leaves the wheel and the single finger to the page, which the reader may want to scroll. */
function loosen(place: HTMLElement): () => void {
  const wheel = (event: WheelEvent) => {
    if (!event.ctrlKey && !event.metaKey) event.stopPropagation()
  }
  const touch = (event: TouchEvent) => {
    if (event.touches.length < 2) event.stopPropagation()
  }
  const early = { capture: true }
  place.addEventListener('wheel', wheel, early)
  for (const kind of ['touchstart', 'touchmove'] as const)
    place.addEventListener(kind, touch, early)
  return () => {
    place.removeEventListener('wheel', wheel, early)
    for (const kind of ['touchstart', 'touchmove'] as const)
      place.removeEventListener(kind, touch, early)
  }
}
