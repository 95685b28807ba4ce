import type { Id } from '@weft/client'
import { type ReactNode, type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react'
import type { GraphData, Position, Positions } from './graph-data.ts'
import { type Direction, GraphRenderer } from './renderer.ts'
import './graph-view.css'

/** The controls of a drawing. Without WebGL they do nothing. */
export interface GraphControls {
  zoom(direction: 'in' | 'out'): void
  /** Moves the camera so that the whole graph is in view. */
  fitView(): void
  /** Repeats the layout of all nodes that are not pinned. */
  rearrange(): void
  /** Moves the camera so that a node is in view. Does nothing if the node is visible. */
  reveal(id: Id): void
  /** Returns the positions of all nodes. */
  positions(): Positions
  /** Returns the neighbour of a node in a direction on the screen; undefined if there is none. */
  neighborToward(id: Id, direction: Direction): Id | undefined
}

/** A note next to a node, such as "50 shown, 19,950 more". */
export interface GraphBadge {
  readonly id: Id
  readonly text: string
}

export interface GraphDrawingProps {
  readonly graph: GraphData
  /** Id of the selected node. */
  readonly selected: Id | undefined
  readonly onSelect: (id: Id) => void
  /** Called after a double click, for example to load neighbours. */
  readonly onOpen?: (id: Id) => void
  /**
   * Whether a drag moves a node or connects two nodes. Default: `connect` if there is an `onConnect`, otherwise `move`.
   * A drag with Shift connects.
   */
  readonly dragging?: 'move' | 'connect'
  readonly onConnect?: ((from: Id, to: Id) => void) | undefined
  /** Called when a connecting drag ends on empty space, with the position there. */
  readonly onDrop?: ((from: Id, at: Position) => void) | undefined
  /** Called after a node was moved by dragging. */
  readonly onMove?: ((id: Id, to: Position) => void) | undefined
  /**
   * Positions of nodes. The layout arranges the other nodes around these. Pass the same object until a position
   * changes.
   */
  readonly positions?: Positions | undefined
  /** Nodes that the layout does not move. */
  readonly pinned?: ReadonlySet<Id> | undefined
  readonly badges?: readonly GraphBadge[]
  readonly onBadge?: (id: Id) => void
  /** Shape of the nodes, `disc` by default. Large graphs have points in either case. */
  readonly shape?: 'disc' | 'ring'
  /**
   * Whether the mouse wheel zooms the drawing and one finger pans it, instead of scrolling the page. For drawings that
   * fill the window.
   */
  readonly capturesScrolling?: boolean
  readonly controls?: Ref<GraphControls>
  /** Shown instead of the drawing in a browser without WebGL. */
  readonly fallback: ReactNode
}

/**
 * Renders a graph in WebGL, without tools or text. The drawing is hidden from screen readers, so the application must
 * also show the graph as text.
 */
export function GraphDrawing(props: GraphDrawingProps) {
  const {
    graph,
    selected,
    positions,
    pinned,
    shape,
    capturesScrolling = false,
    badges = [],
  } = props
  const container = useRef<HTMLDivElement>(null)
  const renderer = useRef<GraphRenderer>(undefined)
  const badgePlaces = useRef<HTMLDivElement>(null)
  const latestProps = useRef(props)
  const [lacksWebGL, setLacksWebGL] = useState(detectMissingWebGL)

  useEffect(() => {
    latestProps.current = props
  })
  useEffect(() => {
    if (lacksWebGL || container.current === null) return
    const created = new GraphRenderer(
      container.current,
      () => ({
        ...eventsOf(latestProps.current),
        onContextLost: () => setLacksWebGL(true),
        onFrame: () => placeBadges(badgePlaces.current, renderer.current),
      }),
      shape,
    )
    renderer.current = created
    const restoreScrolling = capturesScrolling ? undefined : keepPageScrolling(container.current)
    return () => {
      renderer.current = undefined
      restoreScrolling?.()
      created.close()
    }
  }, [lacksWebGL, shape, capturesScrolling])
  // biome-ignore-start lint/correctness/useExhaustiveDependencies: a new renderer is empty, and the chosen node may have just been added
  useEffect(() => renderer.current?.pin(pinned ?? new Set()), [pinned, lacksWebGL])
  useEffect(() => renderer.current?.show(graph, positions), [graph, positions, lacksWebGL])
  useEffect(() => renderer.current?.choose(selected), [graph, selected, lacksWebGL])
  useEffect(() => placeBadges(badgePlaces.current, renderer.current), [badges])
  // biome-ignore-end lint/correctness/useExhaustiveDependencies: as above
  useImperativeHandle(props.controls, () => controlsOf(() => renderer.current), [])

  if (lacksWebGL) return props.fallback
  return (
    <div className="weft-graph-frame">
      <div ref={container} className="weft-graph-stage" aria-hidden="true" />
      <div ref={badgePlaces} className="weft-graph-badges">
        {badges.map(({ id, text }) => (
          <button key={id} type="button" data-node={id} onClick={() => props.onBadge?.(id)}>
            {text}
          </button>
        ))}
      </div>
    </div>
  )
}

const eventsOf = ({
  onSelect,
  onOpen,
  onConnect,
  onDrop,
  onMove,
  dragging = onConnect ? 'connect' : 'move',
}: GraphDrawingProps) => ({
  onClick: onSelect,
  onDoubleClick: onOpen,
  onConnect,
  onDrop,
  onMove,
  dragging,
})

const controlsOf = (renderer: () => GraphRenderer | undefined): GraphControls => ({
  zoom: (direction) => renderer()?.zoom(direction),
  fitView: () => renderer()?.fitView(),
  rearrange: () => renderer()?.rearrange(),
  reveal: (id) => renderer()?.reveal(id),
  positions: () => renderer()?.positions() ?? new Map(),
  neighborToward: (id, direction) => renderer()?.neighborToward(id, direction),
})

/** Moves each badge next to its node. */
function placeBadges(places: HTMLElement | null, renderer: GraphRenderer | undefined): void {
  for (const badge of places?.children ?? []) {
    if (!(badge instanceof HTMLElement)) continue
    const at = renderer?.viewportPosition(Number(badge.getAttribute('data-node')))
    badge.hidden = at === undefined
    if (at) badge.style.transform = `translate(${at.x}px, ${at.y}px) translate(-50%, 1.4rem)`
  }
}

function detectMissingWebGL(): boolean {
  const canvas = document.createElement('canvas')
  const context = canvas.getContext('webgl2')
  context?.getExtension('WEBGL_lose_context')?.loseContext()
  return context === null
}

/**
 * Leaves the mouse wheel and one-finger touches to the page, so that it can be scrolled over the drawing. The wheel
 * with Ctrl or ⌘ and touches with two fingers zoom. Returns a function that removes the listeners.
 */
function keepPageScrolling(container: HTMLElement): () => void {
  const onWheel = (event: WheelEvent) => {
    if (!event.ctrlKey && !event.metaKey) event.stopPropagation()
  }
  const onTouch = (event: TouchEvent) => {
    if (event.touches.length < 2) event.stopPropagation()
  }
  const options = { capture: true }
  container.addEventListener('wheel', onWheel, options)
  for (const kind of ['touchstart', 'touchmove'] as const)
    container.addEventListener(kind, onTouch, options)
  return () => {
    container.removeEventListener('wheel', onWheel, options)
    for (const kind of ['touchstart', 'touchmove'] as const)
      container.removeEventListener(kind, onTouch, options)
  }
}
