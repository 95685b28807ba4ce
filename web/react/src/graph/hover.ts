import type { Settings } from 'sigma/settings'
import type { NodeDisplayData, PartialButFor } from 'sigma/types'
import type { DrawnEdge, DrawnNode } from './drawn.ts'
import type { Dyes } from './dye.ts'

type Shown = PartialButFor<NodeDisplayData, 'x' | 'y' | 'size' | 'label' | 'color'>

/** Draws a node that is pointed at or chosen: a ring, and its name on a piece of cloth. */
export function drawHover(
  context: CanvasRenderingContext2D,
  { x, y, size, label, color }: Shown,
  { labelFont, labelSize, labelWeight }: Settings<DrawnNode, DrawnEdge>,
  dyes: Dyes,
): void {
  context.beginPath()
  context.arc(x, y, size + 4, 0, 2 * Math.PI)
  context.strokeStyle = color
  context.lineWidth = 2
  context.stroke()
  if (!label) return
  context.font = `${labelWeight} ${labelSize}px ${labelFont}`
  const [left, height] = [x + size + 7, labelSize + 8]
  context.fillStyle = dyes.cloth
  context.fillRect(left, y - height / 2, context.measureText(label).width + 10, height)
  context.fillStyle = dyes.ink
  context.fillText(label, left + 5, y + labelSize / 3)
}
