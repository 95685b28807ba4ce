import { numberText } from '../../model/names.ts'
import type { ChartData, ChartPoint } from './chart-data.ts'

/** Maximum number of slices. If there are more points, the smallest ones share the last slice. */
const maxSlices = 8

/** A pie. Slices differ in their pattern as well as in their colour, and each has a label. */
export function Pie({ data }: { data: ChartData }) {
  const slices = slicesOf(data.points.filter(({ value }) => value > 0))
  const sum = slices.reduce((all, { value }) => all + value, 0)
  let before = 0
  return (
    <div className="pie">
      <svg viewBox="-1.05 -1.05 2.1 2.1" aria-hidden="true">
        {slices.map(({ label, value }, i) => {
          const start = before / sum
          before += value
          return <path key={label} className={`slice s${i}`} d={slicePath(start, before / sum)} />
        })}
      </svg>
      <ul aria-hidden="true">
        {slices.map(({ label, value }, i) => (
          <li key={label}>
            <span className={`swatch s${i}`} /> {label}{' '}
            <span className="soft">{numberText(value)}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}

function slicesOf(points: readonly ChartPoint[]): readonly { label: string; value: number }[] {
  const sorted = points.toSorted((a, b) => b.value - a.value)
  if (sorted.length <= maxSlices) return sorted
  const rest = sorted.slice(maxSlices - 1)
  const others = rest.reduce((sum, { value }) => sum + value, 0)
  return [...sorted.slice(0, maxSlices - 1), { label: `${rest.length} others`, value: others }]
}

/** Returns the outline of a slice of a circle of radius 1. `from` and `to` are fractions of a full turn. */
function slicePath(from: number, to: number): string {
  if (to - from > 0.9999) return 'M0 -1A1 1 0 1 1 -0.0001 -1Z' // an arc must not end where it starts
  const [x1, y1] = pointAt(from)
  const [x2, y2] = pointAt(to)
  return `M0 0L${x1} ${y1}A1 1 0 ${to - from > 0.5 ? 1 : 0} 1 ${x2} ${y2}Z`
}

const pointAt = (share: number): readonly [string, string] => [
  Math.sin(2 * Math.PI * share).toFixed(4),
  (-Math.cos(2 * Math.PI * share)).toFixed(4),
]
