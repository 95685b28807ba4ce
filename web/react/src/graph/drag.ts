import type { Id } from '@weft/client'
import type Sigma from 'sigma'
import type { DrawnEdge, DrawnGraph, DrawnNode } from './drawn.ts'

/** The node that is held by the mouse. */
export interface Drag {
  node: string | undefined
}

interface Connects {
  readonly connected: ((from: Id, to: Id) => void) | undefined
}

/** Lets the mouse move nodes, or where connecting is possible, pull a thread from one to another. */
export function followDrags(
  sigma: Sigma<DrawnNode, DrawnEdge>,
  graph: DrawnGraph,
  drag: Drag,
  events: () => Connects,
): () => void {
  const mouse = sigma.getMouseCaptor()
  let over: string | undefined
  let at: { readonly x: number; readonly y: number } | undefined

  sigma.on('enterNode', ({ node }) => {
    over = node
  })
  sigma.on('leaveNode', () => {
    over = undefined
  })
  sigma.on('downNode', ({ node, event }) => {
    drag.node = node
    at = undefined
    event.preventSigmaDefault()
  })
  mouse.on('mousemovebody', (event) => {
    if (drag.node === undefined || !graph.hasNode(drag.node)) return
    event.preventSigmaDefault()
    event.original.preventDefault()
    at = event
    if (!events().connected) graph.mergeNodeAttributes(drag.node, sigma.viewportToGraph(event))
    else sigma.scheduleRender()
  })
  mouse.on('mouseup', () => {
    const { node } = drag
    const { connected } = events()
    drag.node = undefined
    if (connected && at && node !== undefined && over !== undefined && over !== node)
      connected(Number(node), Number(over))
    at = undefined
    sigma.scheduleRender()
  })

  const thread = sigma.createCanvas('thread', { style: { pointerEvents: 'none' } } as never)
  const context = thread.getContext('2d')
  const draw = () => {
    const { width, height } = sigma.getDimensions()
    const scale = window.devicePixelRatio
    if (thread.width !== width * scale) thread.width = width * scale
    if (thread.height !== height * scale) thread.height = height * scale
    if (!context) return
    context.setTransform(scale, 0, 0, scale, 0, 0)
    context.clearRect(0, 0, width, height)
    if (drag.node === undefined || !at || !events().connected) return
    const from = sigma.graphToViewport(graph.getNodeAttributes(drag.node))
    context.strokeStyle = getComputedStyle(sigma.getContainer()).color
    context.lineWidth = 2
    context.setLineDash([6, 5])
    context.beginPath()
    context.moveTo(from.x, from.y)
    context.lineTo(at.x, at.y)
    context.stroke()
  }
  sigma.on('afterRender', draw)
  return () => sigma.off('afterRender', draw)
}
