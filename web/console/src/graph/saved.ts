import type { Id } from '@weft/client'
import { useQuery } from '@weft/react'
import type { Positions } from '@weft/react/graph-view'
import { useMemo } from 'react'
import { client } from '../model/client.ts'

/** A saved drawing: its nodes, their positions, and the display options. */
export interface SavedDrawing {
  readonly id: Id
  readonly name: string
  readonly layout: Layout
}

/** The content of a saved drawing, as JSON in the field `layout`. */
export interface Layout {
  /** Each node with its position. */
  readonly nodes: readonly (readonly [id: Id, x: number, y: number])[]
  readonly pinned: readonly Id[]
  readonly hidden: readonly Id[]
  readonly hiddenTypes: readonly string[]
}

/** The type of saved drawings. */
const drawingType = 'the_console_drawing'

interface Row {
  readonly id: Id
  readonly the_console_drawing?: { readonly name?: unknown; readonly layout?: unknown }
}

/** Returns the saved drawings that the user may see, ordered by name. It follows changes in other tabs and by other users. */
export function useSavedDrawings(): {
  readonly isReady: boolean
  readonly all: readonly SavedDrawing[]
} {
  const state = useQuery<Row>(
    { type: drawingType, selectors: ['self'], pageSize: 200 },
    { format: 'NORMAL' },
  )
  const data = state.status === 'ready' ? state.data : undefined
  const all = useMemo(
    () => (data ?? []).flatMap(readRow).toSorted((a, b) => a.name.localeCompare(b.name)),
    [data],
  )
  return { isReady: state.status !== 'loading', all }
}

function readRow({ id, [drawingType]: record }: Row): readonly SavedDrawing[] {
  if (typeof record?.name !== 'string' || typeof record.layout !== 'string') return []
  const layout = readLayout(record.layout)
  return layout ? [{ id, name: record.name, layout }] : []
}

/** Parses a layout; undefined for text that is not a layout. */
function readLayout(text: string): Layout | undefined {
  try {
    const json = JSON.parse(text) as Partial<Layout> | null
    if (!Array.isArray(json?.nodes)) return undefined
    const nodes = json.nodes.filter(
      (node) => Array.isArray(node) && node.length === 3 && node.every(Number.isFinite),
    )
    const list = <T>(value: unknown): readonly T[] => (Array.isArray(value) ? value : [])
    return {
      nodes,
      pinned: list(json.pinned),
      hidden: list(json.hidden),
      hiddenTypes: list(json.hiddenTypes),
    }
  } catch {
    return undefined
  }
}

/** Returns the positions in a layout. */
export const placesOf = ({ nodes }: Layout): Positions =>
  new Map(nodes.map(([id, x, y]) => [id, { x, y }]))

/** Saves a new drawing and returns its id. */
export function saveDrawing(name: string, layout: Layout): Id {
  return client.create(drawingType, { name, layout: JSON.stringify(layout) }).id
}

/** Writes the layout of a saved drawing. */
export async function updateDrawing(id: Id, layout: Layout): Promise<void> {
  await client.load(id)
  client.update(id, { layout: JSON.stringify(layout) })
}
