import type { Settings } from 'sigma/settings'
import type { NodeDisplayData, PartialButFor } from 'sigma/types'
import type { DrawnEdge, DrawnNode } from './drawn-graph.ts'

type LabelledNode = PartialButFor<NodeDisplayData, 'x' | 'y' | 'size' | 'label' | 'color'>

interface Box {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

/**
 * Draws the labels of one frame without overlaps. A label is drawn to the right of its node. If it would leave the canvas or
 * cover another label there, it is drawn to the left; if it does not fit there either, it is left out.
 */
export class LabelPainter {
  #drawn: Box[] = []

  /** Drops the labels of the previous frame, so that they block no label of the new frame. */
  beginFrame(): void {
    this.#drawn = []
  }

  readonly draw = (
    context: CanvasRenderingContext2D,
    { x, y, size, label }: LabelledNode,
    settings: Settings<DrawnNode, DrawnEdge>,
  ): void => {
    if (!label) return
    const { labelSize, labelFont, labelWeight, labelColor } = settings
    context.font = `${labelWeight} ${labelSize}px ${labelFont}`
    const width = context.measureText(label).width
    const right = boxAt(x + size + gap, y, width, labelSize)
    const left = boxAt(x - size - gap - width, y, width, labelSize)
    const visible = context.canvas.clientWidth || Number.POSITIVE_INFINITY
    const box = [right, left].find(
      (one) => one.left >= 0 && one.right <= visible && !this.#covers(one),
    )
    if (!box) return
    this.#drawn.push(box)
    context.fillStyle = labelColor.color ?? '#000'
    context.fillText(label, box.left, y + labelSize / 3)
  }

  #covers(box: Box): boolean {
    return this.#drawn.some(
      (other) =>
        box.left < other.right &&
        other.left < box.right &&
        box.top < other.bottom &&
        other.top < box.bottom,
    )
  }
}

/** Distance between a node and its label, in pixels. */
const gap = 4

const boxAt = (left: number, y: number, width: number, height: number): Box => ({
  left,
  right: left + width,
  top: y - height / 2 - 1,
  bottom: y + height / 2 + 1,
})
