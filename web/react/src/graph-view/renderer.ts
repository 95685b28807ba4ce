import { createNodeBorderProgram } from '@sigma/node-border'
import type { Id } from '@weft/client'
import Sigma from 'sigma'
import { EdgeLineProgram, NodePointProgram } from 'sigma/rendering'
import type { Settings } from 'sigma/settings'
import { colorsAt, type GraphColors, watchTheme } from './colors.ts'
import { type DragEvents, DragHandler } from './drag.ts'
import {
  createDrawnGraph,
  type DrawnEdge,
  type DrawnNode,
  placeNodes,
  updateDrawnGraph,
} from './drawn-graph.ts'
import type { GraphData, Position, Positions } from './graph-data.ts'
import { drawHover } from './hover.ts'
import { LabelPainter } from './labels.ts'
import { arrange, largeGraph } from './layout.ts'
import type { LayoutUpdate } from './layout-task.ts'

export interface RendererEvents extends DragEvents {
  readonly onClick: (id: Id) => void
  readonly onDoubleClick: ((id: Id) => void) | undefined
  /** Called after each frame, so that elements above the drawing can follow its nodes. */
  readonly onFrame: (() => void) | undefined
  /** Called when the browser has revoked the WebGL context. */
  readonly onContextLost: () => void
}

type IsFixed = (node: string) => boolean

/**
 * Draws a graph in WebGL. The constructor throws without WebGL.
 *
 * Layout and view: `show` arranges added nodes around the other nodes, which stay fixed. If nearly all nodes are new,
 * it arranges everything and resets the camera. After a layout of everything, the view is fixed to the part of the
 * plane that the graph then covers (the custom bounding box), so that nodes added later do not move the other nodes on
 * the screen.
 */
export class GraphRenderer {
  readonly #container: HTMLElement
  readonly #events: () => RendererEvents
  readonly #graph = createDrawnGraph()
  readonly #sigma: Sigma<DrawnNode, DrawnEdge>
  readonly #drag: DragHandler
  readonly #closed = new AbortController()
  readonly #labels = new LabelPainter()
  readonly #isRing: boolean
  #pinned: ReadonlySet<string> = new Set()
  #colors: GraphColors
  #chosen: string | undefined
  #neighborsOfChosen = new Set<string>()
  #isLarge = false
  #isRefreshScheduled = false
  #stopLayout: (() => void) | undefined

  /**
   * @param events returns the current callbacks
   * @param shape the shape of the nodes; large graphs have points in either case
   */
  constructor(
    container: HTMLElement,
    events: () => RendererEvents,
    shape: 'disc' | 'ring' = 'disc',
  ) {
    this.#container = container
    this.#events = events
    this.#isRing = shape === 'ring'
    this.#colors = colorsAt(container)
    this.#sigma = new Sigma<DrawnNode, DrawnEdge>(this.#graph, container, this.#settings())
    this.#applyColors()
    this.#drag = new DragHandler(this.#sigma, this.#graph, this.#events)
    this.#listen()
  }

  /**
   * Updates the drawing to the data, and arranges new nodes.
   *
   * @param positions positions of nodes that the layout does not move
   */
  show(data: GraphData, positions?: Positions): void {
    const known = new Set(this.#graph.nodes())
    const added = updateDrawnGraph(this.#graph, data)
    if (this.#graph.order === 0) return
    this.#updateDetail()
    const placed = positions ? placeNodes(this.#graph, positions) : new Set<string>()
    if (added.size > 0 && placed.size === this.#graph.order) {
      this.#showPlaced()
      return
    }
    for (const node of placed) known.add(node)
    // If at most one node had a place before, the layout arranges everything.
    const isNewGraph = placed.size === 0 && added.size > 0 && added.size >= this.#graph.order - 1
    if (isNewGraph) {
      this.#sigma.setCustomBBox(null)
      void this.#sigma.getCamera().setState({ x: 0.5, y: 0.5, ratio: 1 })
    }
    if (added.size > 0) this.#layOut((node) => !isNewGraph && known.has(node))
    this.choose(this.#chosen === undefined ? undefined : Number(this.#chosen))
  }

  /** Shows a graph in which every node has a position. */
  #showPlaced(): void {
    this.#stopLayout?.()
    this.#fixView()
    void this.#sigma.getCamera().setState({ x: 0.5, y: 0.5, ratio: 1 })
    this.choose(this.#chosen === undefined ? undefined : Number(this.#chosen))
  }

  /** Sets the nodes that the layout does not move. */
  pin(ids: ReadonlySet<Id>): void {
    this.#pinned = new Set([...ids].map(String))
  }

  /** Returns the positions of all nodes. */
  positions(): Positions {
    return new Map(this.#graph.mapNodes((node, { x, y }) => [Number(node), { x, y }]))
  }

  /** Returns the position of a node in CSS pixels from the top left corner of the drawing; undefined if it is not drawn. */
  viewportPosition(id: Id): Position | undefined {
    const node = String(id)
    if (!this.#graph.hasNode(node)) return undefined
    return this.#sigma.graphToViewport(this.#graph.getNodeAttributes(node))
  }

  /** Returns the neighbour of a node that lies in a direction on the screen; undefined if there is none. */
  neighborToward(id: Id, direction: Direction): Id | undefined {
    const node = String(id)
    if (!this.#graph.hasNode(node)) return undefined
    const from = this.#graph.getNodeAttributes(node)
    const scored = this.#graph.neighbors(node).map((other) => {
      const to = this.#graph.getNodeAttributes(other)
      return { other, score: alignment(to.x - from.x, to.y - from.y, direction) }
    })
    const best = scored.reduce((a, b) => (b.score > a.score ? b : a), { other: '', score: 0.3 })
    return best.other === '' ? undefined : Number(best.other)
  }

  /** Moves the camera so that a node is in view. Does nothing if the node is visible. */
  reveal(id: Id): void {
    const at = this.viewportPosition(id)
    const { width, height } = this.#sigma.getDimensions()
    if (!at || (at.x > 0 && at.y > 0 && at.x < width && at.y < height)) return
    const { x, y } = this.#sigma.viewportToFramedGraph(at)
    void this.#sigma.getCamera().animate({ x, y }, cameraAnimation())
  }

  /** Highlights a node and its neighbours; undefined ends the highlight. */
  choose(id: Id | undefined): void {
    const node = id === undefined ? undefined : String(id)
    this.#chosen = node !== undefined && this.#graph.hasNode(node) ? node : undefined
    this.#neighborsOfChosen = new Set(
      this.#chosen === undefined ? [] : this.#graph.neighbors(this.#chosen),
    )
    this.#scheduleRefresh()
  }

  zoom(direction: 'in' | 'out'): void {
    const camera = this.#sigma.getCamera()
    void (direction === 'in'
      ? camera.animatedZoom(cameraAnimation())
      : camera.animatedUnzoom(cameraAnimation()))
  }

  /** Moves the camera so that the whole graph is in view. */
  fitView(): void {
    this.#fixView()
    void this.#sigma.getCamera().animatedReset(cameraAnimation())
  }

  /** Arranges all nodes again. */
  rearrange(): void {
    this.#sigma.setCustomBBox(null)
    this.#layOut((node) => this.#pinned.has(node))
    void this.#sigma.getCamera().animatedReset(cameraAnimation())
  }

  close(): void {
    this.#closed.abort()
    this.#stopLayout?.()
    this.#drag.close()
    this.#sigma.kill()
  }

  #settings(): Partial<Settings<DrawnNode, DrawnEdge>> {
    return {
      allowInvalidContainer: true,
      nodeProgramClasses: { point: NodePointProgram, ring: RingProgram },
      defaultNodeType: this.#isRing ? 'ring' : 'circle',
      defaultDrawNodeLabel: this.#labels.draw,
      edgeProgramClasses: { line: EdgeLineProgram },
      defaultEdgeType: 'arrow',
      renderEdgeLabels: true,
      labelDensity: 0.7,
      labelRenderedSizeThreshold: 5,
      labelSize: 13,
      edgeLabelSize: 11,
      minCameraRatio: 0.02,
      maxCameraRatio: 4,
      stagePadding: 36,
      zIndex: true,
      defaultDrawNodeHover: (context, data, settings) =>
        drawHover(context, data, settings, this.#colors),
      nodeReducer: (node, data) => this.#nodeStyle(node, data),
      edgeReducer: (edge, data) => this.#edgeStyle(edge, data),
    }
  }

  #nodeStyle(node: string, { kind: _, dye, ...data }: DrawnNode) {
    const isChosen = node === this.#chosen
    const isNeighbor = this.#neighborsOfChosen.has(node)
    const isFaint = this.#chosen !== undefined && !isChosen && !isNeighbor
    return {
      ...data,
      color: isChosen && !this.#isRing ? this.#colors.chosen : this.#colors.named(dye),
      inside: this.#colors.cloth,
      // `#drag` is not set yet while the constructor creates Sigma.
      highlighted: isChosen || node === this.#drag?.dragged,
      forceLabel: isChosen || isNeighbor,
      zIndex: isChosen ? 2 : isFaint ? 0 : 1,
    }
  }

  #edgeStyle(edge: string, data: DrawnEdge) {
    const graph = this.#graph
    const chosen = this.#chosen
    const touchesChosen =
      chosen !== undefined && (graph.source(edge) === chosen || graph.target(edge) === chosen)
    const { dye, ...rest } = data
    const hasLabel = touchesChosen && graph.degree(chosen) <= maxEdgeLabels
    const faint = dye === undefined ? this.#colors.faint : this.#colors.named(dye)
    return {
      ...rest,
      size: touchesChosen ? 2 : 1.2,
      ...(this.#isLarge && touchesChosen && { type: 'line' }),
      color: touchesChosen && dye === undefined ? this.#colors.line : faint,
      forceLabel: hasLabel,
      label: this.#isRing && !hasLabel ? null : rest.label,
      zIndex: touchesChosen ? 1 : 0,
    }
  }

  #listen(): void {
    const { signal } = this.#closed
    const stopWatching = watchTheme(() => {
      this.#colors = colorsAt(this.#container)
      this.#applyColors()
    })
    signal.addEventListener('abort', stopWatching)
    this.#sigma.on('clickNode', ({ node }) => this.#events().onClick(Number(node)))
    this.#sigma.on('doubleClickNode', ({ node, event }) => {
      event.preventSigmaDefault()
      this.#events().onDoubleClick?.(Number(node))
    })
    this.#sigma.on('beforeRender', () => this.#labels.beginFrame())
    this.#sigma.on('afterRender', () => this.#events().onFrame?.())
    for (const kind of ['enterNode', 'leaveNode'] as const)
      this.#sigma.on(kind, () => {
        this.#container.style.cursor = kind === 'enterNode' ? 'pointer' : ''
      })
    for (const canvas of Object.values(this.#sigma.getCanvases()))
      canvas.addEventListener('webglcontextlost', () => this.#events().onContextLost(), { signal })
  }

  /** Draws a large graph as points and lines, which WebGL draws in one pass, and a small graph as discs and arrows. */
  #updateDetail(): void {
    if (this.#isLarge === this.#graph.order > largeGraph) return
    this.#isLarge = !this.#isLarge
    this.#sigma.setSettings({
      defaultNodeType: this.#isLarge ? 'point' : this.#isRing ? 'ring' : 'circle',
      defaultEdgeType: this.#isLarge ? 'line' : 'arrow',
    })
  }

  /** Arranges the nodes that are not fixed. After a layout of all nodes, fixes the view to the result. */
  #layOut(isFixed: IsFixed): void {
    this.#stopLayout?.()
    const movesAll = !this.#graph.someNode(isFixed)
    this.#stopLayout = arrange(this.#graph, isFixed, (nodes, update) => {
      this.#moveNodes(nodes, update, isFixed)
      this.#scheduleRefresh()
      if (update.done && movesAll) this.#fixView()
    })
  }

  #moveNodes(nodes: readonly string[], { positions }: LayoutUpdate, isFixed: IsFixed): void {
    for (const [i, node] of nodes.entries()) {
      if (!this.#graph.hasNode(node) || node === this.#drag.dragged || isFixed(node)) continue
      if (this.#pinned.has(node)) continue
      const attributes = this.#graph.getNodeAttributes(node)
      attributes.x = positions[2 * i] as number
      attributes.y = positions[2 * i + 1] as number
    }
  }

  /** Fixes the view to the part of the plane that the graph covers now. */
  #fixView(): void {
    this.#sigma.setCustomBBox(null)
    this.#sigma.refresh()
    this.#sigma.setCustomBBox(this.#sigma.getBBox())
  }

  /** Schedules one refresh for all changes of this task; it draws in the next animation frame. */
  #scheduleRefresh(): void {
    if (this.#isRefreshScheduled) return
    this.#isRefreshScheduled = true
    queueMicrotask(() => {
      this.#isRefreshScheduled = false
      if (!this.#closed.signal.aborted) this.#sigma.scheduleRefresh()
    })
  }

  #applyColors(): void {
    const { ink, font } = this.#colors
    this.#sigma.setSettings({
      labelColor: { color: ink },
      edgeLabelColor: { color: ink },
      labelFont: font,
      edgeLabelFont: font,
    })
    this.#sigma.refresh({ skipIndexation: true })
  }
}

/** Maximum number of edges at the chosen node that have labels. */
const maxEdgeLabels = 12

/** A direction on the screen. */
export type Direction = 'up' | 'down' | 'left' | 'right'

/**
 * Returns the cosine of the angle between a vector of the plane and a direction on the screen: 1 for the same, -1 for
 * opposite.
 */
function alignment(x: number, y: number, direction: Direction): number {
  const length = Math.hypot(x, y) || 1
  // In the plane of Sigma, y grows upwards.
  const along = { up: y, down: -y, left: -x, right: x }[direction]
  return along / length
}

/** A ring in the colour of the node, filled with the background. */
const RingProgram = createNodeBorderProgram<DrawnNode, DrawnEdge>({
  borders: [
    { size: { value: 0.32 }, color: { attribute: 'color' } },
    { size: { fill: true }, color: { attribute: 'inside' } },
  ],
})

const cameraAnimation = () =>
  window.matchMedia('(prefers-reduced-motion: reduce)').matches
    ? { duration: 0 }
    : { duration: 250 }
