import { type Groups, groupName } from '../question/groups.ts'
import { isNumberText, type ResultTable } from './rows.ts'

/** A point of a line, a bar or a slice. */
export interface ChartPoint {
  readonly label: string
  readonly value: number
  /** The hop whose groups the point belongs to; undefined for a point that is a record. */
  readonly group: { readonly connection: string; readonly name: string } | undefined
  /** The record of the point; undefined for a group. */
  readonly id: number | undefined
}

/** The points of a chart with the names of its axes. */
export interface ChartData {
  readonly title: string
  readonly labels: string
  readonly values: string
  readonly points: readonly ChartPoint[]
}

/** A way to draw an answer: the groups of a hop, or a column of numbers with labels from another column. */
export interface ChartSource {
  /** `group:NAME`, or `column:KEY_OF_THE_NUMBERS:KEY_OF_THE_LABELS`. */
  readonly id: string
  readonly title: string
}

/** Returns the ways to draw an answer. */
export function chartSources(
  table: ResultTable,
  groups: readonly Groups[],
): readonly ChartSource[] {
  const fromGroups = groups
    .filter(({ top }) => top.length > 0)
    .map((group) => ({ id: `group:${group.name}`, title: `Number by ${groupName(group)}` }))
  const numbers = table.columns.filter(({ isNumber }) => isNumber)
  const texts = table.columns.filter(({ isNumber }) => !isNumber)
  const fromColumns = numbers.flatMap((number) =>
    (texts.length > 0 ? texts : [undefined]).map((text) => ({
      id: `column:${number.key}:${text?.key ?? ''}`,
      title: `${number.label} by ${text?.label ?? 'record'}`,
    })),
  )
  return [...fromGroups, ...fromColumns].slice(0, maxSources)
}

const maxSources = 30
/** Bars and slices beyond this number are left out, and the chart says so. */
export const maxPoints = 50

/** Returns the points of a chart. An unknown source has none. */
export function chartData(
  table: ResultTable,
  groups: readonly Groups[],
  source: ChartSource,
): ChartData {
  const group = groups.find(({ name }) => source.id === `group:${name}`)
  if (group) return groupChart(group, source)
  const [, valueKey = '', labelKey = ''] = source.id.split(':')
  const values = table.columns.find(({ key }) => key === valueKey)
  const labels = table.columns.find(({ key }) => key === labelKey)
  const points = table.rows.flatMap(({ id, name, cells }): ChartPoint[] => {
    const text = cells.get(valueKey)?.texts.find(isNumberText)
    if (text === undefined) return []
    const label = cells.get(labelKey)?.texts.join(', ') || name
    return [{ label, value: Number(text), group: undefined, id }]
  })
  return {
    title: source.title,
    labels: labels?.label ?? 'Record',
    values: values?.label ?? 'Value',
    points,
  }
}

function groupChart(group: Groups, { title }: ChartSource): ChartData {
  const { name, connection, top } = group
  const points = top.map(({ id, value, count }) => ({
    label: value || `Record ${id}`,
    value: count,
    group: { connection, name },
    id: undefined,
  }))
  return { title, labels: groupName(group), values: 'Number', points }
}

/** Returns the time of a label in seconds since 1970, or its number; undefined for other text. */
export function positionOf(label: string): number | undefined {
  if (isNumberText(label)) return Number(label)
  if (!/^\d{4}-\d\d-\d\d/.test(label)) return undefined
  const time = Date.parse(label)
  return Number.isNaN(time) ? undefined : time / 1000
}

/** Reports whether the points can be drawn as a line: at least two points, each with a number or a time as its label. */
export const isLine = ({ points }: ChartData): boolean =>
  points.length > 1 && points.every(({ label }) => positionOf(label) !== undefined)

/** Reports whether the labels of a line are times. */
export const isTimeLine = ({ points }: ChartData): boolean =>
  points.every(({ label }) => /^\d{4}-\d\d-\d\d/.test(label))
