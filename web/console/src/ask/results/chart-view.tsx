import { lazy, Suspense } from 'react'
import { numberText } from '../../model/names.ts'
import { Link } from '../../parts/link.tsx'
import { Loading } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { Bars } from './bars.tsx'
import { type ChartData, type ChartPoint, isLine, maxPoints } from './chart-data.ts'
import { Pie } from './pie.tsx'

const Line = lazy(() => import('./line.tsx').then(({ Line }) => ({ default: Line })))

/** The forms of a chart. */
export const chartForms = ['bar', 'line', 'pie'] as const
export type ChartForm = (typeof chartForms)[number]

interface ChartViewProps {
  readonly data: ChartData
  readonly form: ChartForm
  /** The address of the records of a point. */
  readonly addressOf: (point: ChartPoint) => string | undefined
}

/** A chart and the table with the same numbers. */
export function ChartView({ data, form, addressOf }: ChartViewProps) {
  const { points, title } = data
  const shown = { ...data, points: form === 'line' ? points : points.slice(0, maxPoints) }
  const canBeLine = isLine(data)
  return (
    <>
      {form === 'line' && !canBeLine && (
        <p className="note c" role="status">
          A line needs at least two points, and a number or a time as each label. These points are
          drawn as bars.
        </p>
      )}
      <figure className="chart" aria-label={`${title}. The table below has the same numbers.`}>
        {form === 'pie' && <Pie data={shown} />}
        {(form === 'bar' || (form === 'line' && !canBeLine)) && (
          <Bars data={shown} addressOf={addressOf} />
        )}
        {form === 'line' && canBeLine && (
          <Suspense fallback={<Loading>Still loading the chart.</Loading>}>
            <Line data={shown} />
          </Suspense>
        )}
      </figure>
      {shown.points.length < points.length && (
        <p className="soft">
          The chart shows the first {numberText(shown.points.length)} of {numberText(points.length)}
          .
        </p>
      )}
      <ChartTable data={data} addressOf={addressOf} />
    </>
  )
}

function ChartTable({ data, addressOf }: Omit<ChartViewProps, 'form'>) {
  const rows = data.points.map((point, i) => ({ ...point, i }))
  const sum = data.points.reduce((all, { value }) => all + value, 0)
  return (
    <Table
      label={`${data.title}, as a table`}
      rows={rows}
      keyOf={({ i }) => i}
      columns={[
        { name: data.labels, cell: ({ label }) => label },
        { name: data.values, isNumber: true, cell: ({ value }) => numberText(value) },
        {
          name: 'Share',
          isNumber: true,
          cell: ({ value }) => (sum > 0 ? `${((100 * value) / sum).toFixed(1)} %` : ''),
        },
        {
          name: 'Records',
          cell: (point) => {
            const address = addressOf(point)
            return (
              address && (
                <Link className="underline b" to={address}>
                  {point.group ? `Open the ${numberText(point.value)}` : 'Open'}
                </Link>
              )
            )
          },
        },
      ]}
    />
  )
}
