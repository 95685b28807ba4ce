import { useMemo, useState } from 'react'
import type { Column } from './columns.ts'

/** The width of the column with the number of the row, in pixels. */
const indexWidth = 52
const minWidth = 56
const maxWidth = 900

/** The widths of the columns of a grid. */
interface Widths {
  readonly widths: Readonly<Record<string, number>>
  /** The widths as CSS grid columns. */
  readonly template: string
  /** The sum of the widths in pixels. */
  readonly width: number
  readonly resize: (key: string, width: number) => void
}

/** Returns the widths of columns, which are stored in this browser for each type. */
export function useWidths(type: string, columns: readonly Column[]): Widths {
  const storageKey = `weft-console-widths ${type}`
  const [widths, setWidths] = useState(() => readWidths(storageKey))
  return useMemo(() => {
    const all = [indexWidth, ...columns.map((column) => widths[column.key] ?? defaultWidth(column))]
    return {
      widths,
      template: all.map((width) => `${width}px`).join(' '),
      width: all.reduce((sum, width) => sum + width, 0),
      resize: (key, width) => {
        const limited = Math.round(Math.max(minWidth, Math.min(maxWidth, width)))
        const next = { ...widths, [key]: limited }
        setWidths(next)
        localStorage.setItem(storageKey, JSON.stringify(next))
      },
    }
  }, [widths, columns, storageKey])
}

/** Returns the width of a column that was not resized. */
export function defaultWidth({ kind, label }: Column): number {
  const words = 58 + label.length * 8
  switch (kind) {
    case 'number':
    case 'boolean':
      return Math.max(110, words)
    case 'date':
    case 'choice':
      return Math.max(124, words)
    case 'longText':
    case 'links':
      return Math.max(210, words)
    default:
      return Math.max(150, words)
  }
}

function readWidths(key: string): Readonly<Record<string, number>> {
  try {
    return JSON.parse(localStorage.getItem(key) ?? '{}') as Record<string, number>
  } catch {
    return {}
  }
}
