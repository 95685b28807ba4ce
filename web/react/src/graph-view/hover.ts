import type { Settings } from 'sigma/settings'
import type { NodeDisplayData, PartialButFor } from 'sigma/types'
import type { GraphColors } from './colors.ts'
import type { DrawnEdge, DrawnNode } from './drawn-graph.ts'

type HoveredNode = PartialButFor<NodeDisplayData, 'x' | 'y' | 'size' | 'label' | 'color'>

/** Draws a hovered or chosen node: a ring around it, and its label on a filled background. */
export function drawHover(
  context: CanvasRenderingContext2D,
  { x, y, size, label, color }: HoveredNode,
  { labelFont, labelSize, labelWeight }: Settings<DrawnNode, DrawnEdge>,
  colors: GraphColors,
): void {
  context.beginPath()
  context.arc(x, y, size + 4, 0, 2 * Math.PI)
  context.strokeStyle = color
  context.lineWidth = 2
  context.stroke()
  if (!label) return
  context.font = `${labelWeight} ${labelSize}px ${labelFont}`
  const height = labelSize + 8
  const width = context.measureText(label).width + 10
  const right = x + size + 7
  const fits = right + width <= (context.canvas.clientWidth || Number.POSITIVE_INFINITY)
  const left = fits ? right : Math.max(0, x - size - 7 - width)
  context.fillStyle = colors.cloth
  context.fillRect(left, y - height / 2, width, height)
  context.fillStyle = colors.ink
  context.fillText(label, left + 5, y + labelSize / 3)
}
