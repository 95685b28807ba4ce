import type { Id } from '@weft/client'
import Sigma from 'sigma'
import { EdgeLineProgram, NodePointProgram } from 'sigma/rendering'
import type { GraphData } from './data.ts'
import { type Drag, followDrags } from './drag.ts'
import { type DrawnEdge, type DrawnNode, drawData, emptyGraph } from './drawn.ts'
import { type Dyes, dyesAt, watchTheme } from './dye.ts'
import { drawHover } from './hover.ts'
import { arrange } from './layout.ts'

/** What happens on the stage. */
export interface StageEvents {
  readonly clicked: (id: Id) => void
  /** Undefined lets a drag move a node; otherwise it connects one with another. */
  readonly connected: ((from: Id, to: Id) => void) | undefined
  /** The browser took the drawing surface away. */
  readonly lost: () => void
}

/** The drawing of a graph in WebGL. Without WebGL it cannot be made. */
export interface Stage {
  show(data: GraphData): void
  choose(id: Id | undefined): void
  zoom(by: 'in' | 'out'): void
  /** Brings everything into view. */
  fit(): void
  /** Arranges everything anew. */
  reset(): void
  close(): void
}

export function openStage(container: HTMLElement, events: () => StageEvents): Stage {
  const graph = emptyGraph()
  let dyes = dyesAt(container)
  let chosen: string | undefined
  let near = new Set<string>()
  let many = false
  let stale = false
  let closed = false
  let stop: (() => void) | undefined
  const drag: Drag = { node: undefined }

  const sigma = new Sigma<DrawnNode, DrawnEdge>(graph, container, {
    allowInvalidContainer: true,
    nodeProgramClasses: { point: NodePointProgram },
    edgeProgramClasses: { thread: EdgeLineProgram },
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
    defaultDrawNodeHover: (context, data, settings) => drawHover(context, data, settings, dyes),
    nodeReducer: (node, { kind, ...data }) => {
      const lit = node === chosen
      const faint = chosen !== undefined && !lit && !near.has(node)
      return {
        ...data,
        color: lit ? dyes.chosen : dyes[kind],
        highlighted: lit || node === drag.node,
        forceLabel: lit || near.has(node),
        zIndex: lit ? 2 : faint ? 0 : 1,
      }
    },
    edgeReducer: (edge, data) => {
      const touched =
        chosen !== undefined && (graph.source(edge) === chosen || graph.target(edge) === chosen)
      return {
        ...data,
        size: touched ? 2 : 1.2,
        ...(many && touched && { type: 'line' }),
        color: touched ? dyes.line : dyes.faint,
        forceLabel: touched && graph.degree(chosen) <= 40,
        zIndex: touched ? 1 : 0,
      }
    },
  })
  wear(sigma, dyes)

  const unwatch = watchTheme(() => {
    dyes = dyesAt(container)
    wear(sigma, dyes)
  })
  const leave = followDrags(sigma, graph, drag, events)
  sigma.on('clickNode', ({ node }) => events().clicked(Number(node)))
  for (const kind of ['enterNode', 'leaveNode'] as const)
    sigma.on(kind, () => {
      container.style.cursor = kind === 'enterNode' ? 'pointer' : ''
    })
  const lost = () => events().lost()
  const canvases = Object.values(sigma.getCanvases())
  for (const canvas of canvases) canvas.addEventListener('webglcontextlost', lost)

  /** Moves what is not fixed to where the forces want it, and keeps the frame from then on. */
  function settle(fixed: (node: string) => boolean): void {
    stop?.()
    const whole = !graph.someNode(fixed)
    stop = arrange(graph, fixed, (nodes, { places, done }) => {
      for (const [i, node] of nodes.entries()) {
        if (!graph.hasNode(node) || node === drag.node || fixed(node)) continue
        const at = graph.getNodeAttributes(node)
        at.x = places[2 * i] as number
        at.y = places[2 * i + 1] as number
      }
      redraw()
      if (done && whole) frame()
    })
  }

  /** From now on the view is of this part of the plane, so that what comes moves nothing else. */
  function frame(): void {
    sigma.setCustomBBox(null)
    sigma.refresh()
    sigma.setCustomBBox(sigma.getBBox())
  }

  function choose(id: Id | undefined): void {
    const node = id === undefined ? undefined : String(id)
    chosen = node !== undefined && graph.hasNode(node) ? node : undefined
    near = new Set(chosen === undefined ? [] : graph.neighbors(chosen))
    redraw()
  }

  /** Looks at everything again, once for all that changes now, and draws it in the next frame. */
  function redraw(): void {
    if (stale) return
    stale = true
    queueMicrotask(() => {
      stale = false
      if (!closed) sigma.scheduleRefresh()
    })
  }

  return {
    show(data) {
      const known = new Set(graph.nodes())
      const fresh = drawData(graph, data)
      if (graph.order === 0) return
      if (many !== graph.order > 2_000) {
        many = !many
        // Points and lines are drawn in one go; discs and arrows are each a drawing of its own.
        sigma.setSettings({
          defaultNodeType: many ? 'point' : 'circle',
          defaultEdgeType: many ? 'thread' : 'arrow',
        })
      }
      // A single concept is no arrangement yet that would have to be kept.
      const anew = fresh.size > 0 && fresh.size >= graph.order - 1
      if (anew) {
        sigma.setCustomBBox(null)
        void sigma.getCamera().setState({ x: 0.5, y: 0.5, ratio: 1 })
      }
      if (fresh.size > 0) settle((node) => !anew && known.has(node))
      choose(chosen === undefined ? undefined : Number(chosen))
    },
    choose,
    zoom(by) {
      const camera = sigma.getCamera()
      void (by === 'in' ? camera.animatedZoom(quick()) : camera.animatedUnzoom(quick()))
    },
    fit() {
      frame()
      void sigma.getCamera().animatedReset(quick())
    },
    reset() {
      sigma.setCustomBBox(null)
      settle(() => false)
      void sigma.getCamera().animatedReset(quick())
    },
    close() {
      closed = true
      stop?.()
      unwatch()
      leave()
      for (const canvas of canvases) canvas.removeEventListener('webglcontextlost', lost)
      sigma.kill()
    },
  }
}

function wear(sigma: Sigma<DrawnNode, DrawnEdge>, dyes: Dyes): void {
  sigma.setSettings({
    labelColor: { color: dyes.ink },
    edgeLabelColor: { color: dyes.ink },
    labelFont: dyes.font,
    edgeLabelFont: dyes.font,
  })
  sigma.refresh({ skipIndexation: true })
}

const quick = () =>
  window.matchMedia('(prefers-reduced-motion: reduce)').matches
    ? { duration: 0 }
    : { duration: 250 }
