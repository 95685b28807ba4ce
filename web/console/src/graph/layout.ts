import type { Positions } from '@weft/react/graph-view'
import type { Drawing } from './drawing.ts'
import type { Layout } from './saved.ts'

/**
 * Returns the layout of a drawing, which is saved.
 *
 * @param before the layout that is replaced: nodes without a known position keep theirs
 */
export function layoutOf(drawing: Drawing, places: Positions, before?: Layout): Layout {
  const old = new Map(before?.nodes.map(([id, x, y]) => [id, { x, y }]))
  return {
    nodes: [...drawing.nodes.keys()].map((id) => {
      const { x, y } = places.get(id) ?? old.get(id) ?? { x: 0, y: 0 }
      return [id, Math.round(x * 100) / 100, Math.round(y * 100) / 100] as const
    }),
    pinned: [...drawing.pinned],
    hidden: [...drawing.hidden],
    hiddenTypes: [...drawing.hiddenTypes],
  }
}
