import type { Id } from '@weft/client'
import {
  type GraphControls,
  type GraphData,
  GraphDrawing,
  type Positions,
} from '@weft/react/graph-view'
import { type KeyboardEvent, type RefObject, useState } from 'react'
import { showKeys } from '../model/keys.ts'
import { namesOf } from '../model/names.ts'
import type { NodeInfo } from './api.ts'
import type { Drawing } from './drawing.ts'
import { badgesOf } from './looks.ts'
import { nodeName } from './names.ts'

/** The drawing with its tools. The drawing is a single tab stop; the arrow keys select a linked node. */
export function Stage({
  drawing,
  graph,
  places,
  selected,
  controls,
  onSelect,
  onOpen,
  onMove,
  onConnect,
  onDrop,
  onBadge,
  pinAll,
}: {
  readonly drawing: Drawing
  readonly graph: GraphData
  readonly places: Positions | undefined
  readonly selected: NodeInfo | undefined
  readonly controls: RefObject<GraphControls | null>
  readonly onSelect: (id: Id) => void
  readonly onOpen: (id: Id) => void
  readonly onMove: (id: Id, to: { x: number; y: number }) => void
  readonly onConnect: (from: Id, to: Id) => void
  readonly onDrop: (from: Id) => void
  readonly onBadge: (id: Id) => void
  readonly pinAll: () => void
}) {
  const [dragging, setDragging] = useState<'move' | 'connect'>('move')
  const walk = (event: KeyboardEvent) => {
    const direction = directions[event.key]
    if (!direction || !selected) return
    event.preventDefault()
    const next = controls.current?.neighborToward(selected.id, direction)
    if (next === undefined) return
    onSelect(next)
    controls.current?.reveal(next)
  }
  return (
    <div className="graph-stage">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms */}
      <div
        role="group"
        aria-roledescription="drawing"
        aria-label={`Drawing of ${graph.nodes.length} records. Arrow keys move along links, ${showKeys('l')} shows a list.`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys work inside
        tabIndex={0}
        className="graph-focus"
        onKeyDown={walk}
      >
        <GraphDrawing
          graph={graph}
          positions={places}
          pinned={drawing.pinned}
          selected={selected?.id}
          badges={badgesOf(drawing)}
          shape="ring"
          capturesScrolling
          dragging={dragging}
          controls={controls}
          {...{ onSelect, onOpen, onMove, onConnect, onDrop, onBadge }}
          fallback={
            <p className="note">
              This browser does not support WebGL. The list shows the same records.
            </p>
          }
        />
      </div>
      <p className="unseen" aria-live="polite">
        {selected && `${nodeName(selected)}, ${namesOf(selected.type).one}`}
      </p>
      <div className="graph-tools" role="toolbar" aria-label="Drawing">
        <button type="button" aria-label="Zoom out" onClick={() => controls.current?.zoom('out')}>
          −
        </button>
        <button type="button" aria-label="Zoom in" onClick={() => controls.current?.zoom('in')}>
          +
        </button>
        <button type="button" onClick={() => controls.current?.fitView()}>
          Fit <kbd>0</kbd>
        </button>
        <button type="button" onClick={() => controls.current?.rearrange()}>
          Arrange
        </button>
        <button type="button" className="desk" onClick={pinAll}>
          Pin all
        </button>
        <button
          type="button"
          aria-pressed={dragging === 'connect'}
          onClick={() => setDragging(dragging === 'move' ? 'connect' : 'move')}
        >
          Drag links
        </button>
      </div>
      <p className="graph-hint desk">
        {dragging === 'connect'
          ? 'Drag from one record to another to link them. Release on empty space to add a record.'
          : 'Drag a record to move it. Drag with Shift to link it.'}
      </p>
    </div>
  )
}

const directions: Readonly<Record<string, 'up' | 'down' | 'left' | 'right'>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
}
