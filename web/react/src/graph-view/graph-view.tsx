import type { Id } from '@weft/client'
import { useMemo, useRef } from 'react'
import { type GraphControls, GraphDrawing } from './drawing.tsx'
import { type GraphData, type GraphStatus, type KindNames, linksByNode } from './graph-data.ts'
import { Navigator } from './navigator.tsx'
import './graph-view.css'

export interface GraphViewProps {
  /** Describes the graph to screen readers. */
  readonly label: string
  readonly graph: GraphData
  /** Names of the kinds of nodes, by default "Records", "Types" and "Values". */
  readonly kindNames?: KindNames
  readonly status: GraphStatus
  /** Id of the chosen concept. */
  readonly selected: Id | undefined
  /** Called when the user chooses a concept, for example to load its neighbours. */
  readonly onSelect: (id: Id) => void
  /** Called when one concept is dragged onto another. If undefined, dragging moves concepts. */
  readonly onConnect?: (from: Id, to: Id) => void
  /** Shown instead of a graph without concepts. */
  readonly emptyMessage: string
}

/**
 * Renders concepts and connections as a WebGL drawing, and as text with buttons that follow the connections. Concepts
 * keep their positions when others are added.
 */
export function GraphView(props: GraphViewProps) {
  const { label, graph, kindNames = defaultKindNames, status, selected } = props
  const links = useMemo(() => linksByNode(graph), [graph])
  const selectedNode = useMemo(
    () => graph.nodes.find(({ id }) => id === selected),
    [graph, selected],
  )
  return (
    <section className="weft-graph" aria-label={label} aria-busy={status.status === 'loading'}>
      {graph.nodes.length === 0 ? (
        <p className="weft-graph-empty">
          {status.status === 'ready' ? props.emptyMessage : 'Loading…'}
        </p>
      ) : (
        <>
          <Drawing {...props} />
          <Legend graph={graph} kindNames={kindNames} />
          <Navigator
            graph={graph}
            links={links}
            selected={selectedNode}
            kindNames={kindNames}
            onSelect={props.onSelect}
          />
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

/** The drawing. Its tools are below it, so that they cover no node. */
function Drawing({ graph, selected, onSelect, onConnect }: GraphViewProps) {
  const controls = useRef<GraphControls>(null)
  return (
    <div>
      <GraphDrawing
        graph={graph}
        selected={selected}
        onSelect={onSelect}
        onConnect={onConnect}
        controls={controls}
        fallback={
          <p className="weft-graph-note">
            This browser does not support WebGL. The graph is shown as text.
          </p>
        }
      />
      <div className="weft-graph-tools" role="toolbar" aria-label="Graph view">
        <Tool name="Zoom in" icon="+" onClick={() => controls.current?.zoom('in')} />
        <Tool name="Zoom out" icon="−" onClick={() => controls.current?.zoom('out')} />
        <Tool name="Fit to view" icon="⤢" onClick={() => controls.current?.fitView()} />
        <Tool name="Rearrange" icon="↻" onClick={() => controls.current?.rearrange()} />
      </div>
    </div>
  )
}

function Tool({ name, icon, onClick }: { name: string; icon: string; onClick: () => void }) {
  return (
    <button type="button" aria-label={name} title={name} onClick={onClick}>
      <span aria-hidden="true">{icon}</span>
    </button>
  )
}

const defaultKindNames: KindNames = { composition: 'Records', type: 'Types', value: 'Values' }

function Legend({ graph, kindNames }: { graph: GraphData; kindNames: KindNames }) {
  const kinds = new Set(graph.nodes.map(({ kind }) => kind))
  return (
    <p className="weft-graph-legend">
      {[...kinds].map((kind) => (
        <span key={kind} className={`weft-graph-color-${kind}`}>
          {kindNames[kind]}
        </span>
      ))}
      <span className="weft-graph-color-chosen">Selected</span>
    </p>
  )
}
