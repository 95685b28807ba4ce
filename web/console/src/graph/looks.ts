import type { Id } from '@weft/client'
import type { GraphData } from '@weft/react/graph-view'
import { sharedOwner } from '../model/access.ts'
import { numberText } from '../model/names.ts'
import type { Session } from '../model/session.ts'
import { type ConsoleType, markOf } from '../model/types.ts'
import type { NodeInfo } from './api.ts'
import { type Drawing, remainders, shownNodes } from './drawing.ts'
import { linkName, nodeName, sourceType } from './names.ts'

/** The property that determines the colour of nodes: type, owner, access, or the values of a field. */
export type ColorBy = 'type' | 'owner' | 'access' | `field:${string}`
/** The measure for the size of a node: the number of its drawn links, nothing (`same`), or the number in a field. */
export type SizeBy = 'links' | 'same' | `field:${string}`

/** The fields of each drawn record, by its id: the text of each field by its name. */
export type FieldValues = ReadonlyMap<Id, Readonly<Record<string, string>>>

/** An entry of the legend. */
export interface LegendEntry {
  /** The class name of the colour; `u` for the neutral colour. */
  readonly dye: string
  readonly label: string
  readonly count: number
}

interface LookOptions {
  readonly drawing: Drawing
  readonly types: readonly ConsoleType[]
  readonly session: Session
  readonly colorBy: ColorBy
  readonly sizeBy: SizeBy
  readonly fields: FieldValues
}

/** Returns the graph for the drawing, and the legend of its colours. */
export function lookOf(options: LookOptions): {
  readonly graph: GraphData
  readonly legend: readonly LegendEntry[]
} {
  const { drawing, types } = options
  const nodes = shownNodes(drawing)
  const colors = colorer(options, nodes)
  const sizes = sizer(options, nodes)
  const counts = new Map<string, LegendEntry>()
  const drawn = nodes.map((node) => {
    const { dye, label } = colors(node)
    counts.set(label, { dye, label, count: (counts.get(label)?.count ?? 0) + 1 })
    return {
      id: node.id,
      label: nodeName(node),
      kind: node.kind === 'record' ? ('composition' as const) : node.kind,
      color: dye,
      size: sizes(node),
    }
  })
  const edges = [...drawing.links.values()].map(({ from, to, type }) => ({
    from,
    to,
    label: linkName(types, type),
    color: linkDye(markOf(types, sourceType(types, type)).dye),
  }))
  return {
    graph: { nodes: drawn, edges },
    legend: [...counts.values()].toSorted((a, b) => b.count - a.count),
  }
}

/** Returns the colour of the links that start at a type with the colour `dye`; undefined for the neutral colour. */
const linkDye = (dye: string): string | undefined => (dye === 'u' ? undefined : dye)

const dyes = ['a', 'b', 'd', 'c'] as const

function colorer(
  { colorBy, types, session, fields }: LookOptions,
  nodes: readonly NodeInfo[],
): (node: NodeInfo) => { readonly dye: string; readonly label: string } {
  if (colorBy === 'owner')
    return ({ owner }) =>
      owner === session.userId ? { dye: 'b', label: 'Yours' } : { dye: 'u', label: 'Other users' }
  // Access 5 means public, and 3 means for admins only.
  if (colorBy === 'access')
    return ({ access, owner }) =>
      access === 5 || owner === sharedOwner
        ? { dye: 'd', label: 'Public' }
        : { dye: 'a', label: access === 3 ? 'Admins only' : 'Private' }
  if (colorBy === 'type') return ({ type }) => ({ dye: markOf(types, type).dye, label: type })
  const field = colorBy.slice('field:'.length)
  const textOf = ({ id }: NodeInfo) => fields.get(id)?.[field] ?? ''
  const frequent = mostFrequent(nodes.map(textOf).filter((value) => value !== ''))
  return (node) => {
    const value = textOf(node)
    const dye = dyes[frequent.indexOf(value)]
    if (dye) return { dye, label: value }
    return { dye: 'u', label: value === '' ? 'Without this field' : 'Other values' }
  }
}

function mostFrequent(values: readonly string[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].toSorted((a, b) => b[1] - a[1]).map(([value]) => value)
}

function sizer(
  { sizeBy, drawing, fields }: LookOptions,
  nodes: readonly NodeInfo[],
): (node: NodeInfo) => number {
  if (sizeBy === 'links') return () => 1
  if (sizeBy === 'same') {
    const degrees = degreesIn(drawing)
    // The renderer makes nodes with more links larger. This factor cancels that.
    return ({ id }) => 8 / Math.min(18, 5 + 1.5 * Math.sqrt(degrees.get(id) ?? 0))
  }
  const field = sizeBy.slice('field:'.length)
  const numberOf = ({ id }: NodeInfo) => Number.parseFloat(fields.get(id)?.[field] ?? '')
  const known = nodes.map(numberOf).filter(Number.isFinite)
  const [least, most] = [Math.min(...known), Math.max(...known)]
  return (node) => {
    const n = numberOf(node)
    if (!Number.isFinite(n) || most === least) return 0.8
    return 0.8 + 1.4 * ((n - least) / (most - least))
  }
}

function degreesIn({ links }: Drawing): ReadonlyMap<Id, number> {
  const degrees = new Map<Id, number>()
  for (const { from, to } of links.values())
    for (const id of [from, to]) degrees.set(id, (degrees.get(id) ?? 0) + 1)
  return degrees
}

/** Returns the notes at nodes that have more links than are drawn: "50 shown, 19,950 more". */
export function badgesOf(drawing: Drawing): readonly { readonly id: Id; readonly text: string }[] {
  const shown = new Set(shownNodes(drawing).map(({ id }) => id))
  const largest = new Map<Id, { readonly shown: number; readonly more: number }>()
  for (const { of, group, shown: drawn } of remainders(drawing)) {
    const more = group.count - drawn
    if (shown.has(of) && more > (largest.get(of)?.more ?? 0))
      largest.set(of, { shown: drawn, more })
  }
  return [...largest].map(([id, { shown: drawn, more }]) => ({
    id,
    text: `${numberText(drawn)} shown, ${numberText(more)} more`,
  }))
}
