import type { Id } from '@weft/client'
import type Sigma from 'sigma'
import type { DrawnEdge, DrawnGraph, DrawnNode } from './drawn-graph.ts'
import type { Position } from './graph-data.ts'

/** A point in the viewport, in CSS pixels. */
interface Point {
  readonly x: number
  readonly y: number
}

/** The effect of dragging a node, and the callbacks for its end. */
export interface DragEvents {
  /**
   * Whether a drag connects two nodes or moves one node. A drag with Shift always connects. Without `onConnect`, every
   * drag moves a node.
   */
  readonly dragging: 'move' | 'connect'
  readonly onConnect: ((from: Id, to: Id) => void) | undefined
  /** Called when a connecting drag ends on empty space, with the position in the plane. */
  readonly onDrop: ((from: Id, at: Position) => void) | undefined
  readonly onMove: ((id: Id, to: Position) => void) | undefined
}

/**
 * Handles dragging a node with the mouse. A drag in the mode `move` moves the node with the pointer. In the mode `connect`, it
 * draws a line from the node to the pointer, and ends on another node or on empty space.
 */
export class DragHandler {
  readonly #sigma: Sigma<DrawnNode, DrawnEdge>
  readonly #graph: DrawnGraph
  readonly #events: () => DragEvents
  readonly #lineCanvas: HTMLCanvasElement
  /** The node that is dragged, and the node under the pointer. */
  #dragged: string | undefined
  #hovered: string | undefined
  /** The mode of the current drag. */
  #mode: 'move' | 'connect' = 'move'
  /** The position of the pointer; undefined before it has moved. */
  #pointer: Point | undefined

  /** @param events returns the current callbacks */
  constructor(sigma: Sigma<DrawnNode, DrawnEdge>, graph: DrawnGraph, events: () => DragEvents) {
    this.#sigma = sigma
    this.#graph = graph
    this.#events = events
    const style = { pointerEvents: 'none' }
    this.#lineCanvas = sigma.createCanvas('drag-line', { style } as never)
    sigma.on('enterNode', ({ node }) => {
      this.#hovered = node
    })
    sigma.on('leaveNode', () => {
      this.#hovered = undefined
    })
    sigma.on('downNode', ({ node, event }) => {
      const { dragging, onConnect } = this.#events()
      const hasShift = 'shiftKey' in event.original && event.original.shiftKey
      this.#mode = onConnect && (dragging === 'connect' || hasShift) ? 'connect' : 'move'
      this.#dragged = node
      this.#pointer = undefined
      event.preventSigmaDefault()
    })
    const mouse = sigma.getMouseCaptor()
    mouse.on('mousemovebody', (event) => {
      if (this.#move(event)) {
        event.preventSigmaDefault()
        event.original.preventDefault()
      }
    })
    mouse.on('mouseup', () => this.#release())
    sigma.on('afterRender', this.#drawLine)
  }

  /** The node that is being dragged; undefined if there is none. */
  get dragged(): string | undefined {
    return this.#dragged
  }

  close(): void {
    this.#sigma.off('afterRender', this.#drawLine)
  }

  /** Moves the dragged node, or the end of its line, to the pointer. Returns false if no node is dragged. */
  #move(pointer: Point): boolean {
    if (this.#dragged === undefined || !this.#graph.hasNode(this.#dragged)) return false
    this.#pointer = { x: pointer.x, y: pointer.y }
    if (this.#mode === 'connect') this.#sigma.scheduleRender()
    else this.#graph.mergeNodeAttributes(this.#dragged, this.#sigma.viewportToGraph(pointer))
    return true
  }

  #release(): void {
    const [from, to, pointer] = [this.#dragged, this.#hovered, this.#pointer]
    this.#dragged = undefined
    this.#pointer = undefined
    if (from !== undefined && pointer) this.#end(from, to, pointer)
    this.#sigma.scheduleRender()
  }

  #end(from: string, to: string | undefined, pointer: Point): void {
    const { onConnect, onDrop, onMove } = this.#events()
    const at = this.#sigma.viewportToGraph(pointer)
    if (this.#mode === 'move') onMove?.(Number(from), at)
    else if (to === undefined) onDrop?.(Number(from), at)
    else if (to !== from) onConnect?.(Number(from), Number(to))
  }

  readonly #drawLine = (): void => {
    const canvas = this.#lineCanvas
    const context = canvas.getContext('2d')
    const { width, height } = this.#sigma.getDimensions()
    const scale = window.devicePixelRatio
    if (canvas.width !== width * scale) canvas.width = width * scale
    if (canvas.height !== height * scale) canvas.height = height * scale
    if (!context) return
    context.setTransform(scale, 0, 0, scale, 0, 0)
    context.clearRect(0, 0, width, height)
    if (this.#dragged === undefined || !this.#pointer || this.#mode === 'move') return
    const from = this.#sigma.graphToViewport(this.#graph.getNodeAttributes(this.#dragged))
    context.strokeStyle = getComputedStyle(this.#sigma.getContainer()).color
    context.lineWidth = 2
    context.setLineDash([6, 5])
    context.beginPath()
    context.moveTo(from.x, from.y)
    context.lineTo(this.#pointer.x, this.#pointer.y)
    context.stroke()
  }
}
