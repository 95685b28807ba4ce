import { numberText } from '../../model/names.ts'
import { Link } from '../../parts/link.tsx'
import type { ChartData, ChartPoint } from './chart-data.ts'

/** Bars from left to right with their labels and values. A click opens the records. */
export function Bars({
  data: { points },
  addressOf,
}: {
  readonly data: ChartData
  readonly addressOf: (point: ChartPoint) => string | undefined
}) {
  const most = Math.max(...points.map(({ value }) => Math.abs(value)), 1)
  return (
    <div className="bars" aria-hidden="true">
      {points.map((point, i) => {
        const address = addressOf(point)
        const bar = (
          <>
            <span className="bar-label">{point.label}</span>
            <svg
              aria-hidden="true"
              className="bar-mark"
              viewBox="0 0 100 10"
              preserveAspectRatio="none"
            >
              <rect
                className={point.value < 0 ? 'less' : ''}
                width={(100 * Math.abs(point.value)) / most}
                height="10"
              />
            </svg>
            <span className="num">{numberText(point.value)}</span>
          </>
        )
        // The table below the chart has the same links for keyboards and screen readers.
        return address === undefined ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: labels may repeat
          <div key={i} className="bar-row">
            {bar}
          </div>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: labels may repeat
          <Link key={i} className="bar-row" to={address} tabIndex={-1}>
            {bar}
          </Link>
        )
      })}
    </div>
  )
}
