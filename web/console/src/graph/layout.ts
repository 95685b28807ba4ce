import type { Positions } from '@weft/react/graph-view'
import type { Drawing } from './drawing.ts'
import type { Layout } from './saved.ts'

/**
 * Returns the layout of a drawing, for saving it.
 *
 * @param before the layout that this one replaces; a node that is not in `places` keeps its position in `before`
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
