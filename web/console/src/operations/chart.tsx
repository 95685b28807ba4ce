import { useEffect, useMemo, useRef } from 'react'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { setParams, useLocation } from '../model/router.ts'
import { Table } from '../parts/table.tsx'

/** A line of a chart. */
export interface Line {
  readonly name: string
  /** The name of a colour of the theme. */
  readonly dye: 'indigo' | 'madder' | 'verdigris'
  readonly isDashed?: boolean
  readonly values: readonly number[]
}

interface ChartProps {
  /** The name of the chart, which the address contains when the chart is shown as a table. */
  readonly id: string
  readonly label: string
  /** Times in seconds since 1970, in ascending order. */
  readonly times: readonly number[]
  readonly lines: readonly Line[]
  readonly format: (value: number) => string
}

/** Height of a chart in pixels. It does not depend on the data, so nothing moves when data arrives. */
const chartHeight = 170

/** A chart over time. The parameter `table` of the address shows the same numbers as a table. */
export function Chart(props: ChartProps) {
  const { params } = useLocation()
  return params.get('table') === props.id ? <NumberTable {...props} /> : <Plot {...props} />
}

/** The button that switches between a chart and its table. */
export function TableSwitch({ id, label }: { id: string; label: string }) {
  const { params } = useLocation()
  const isTable = params.get('table') === id
  return (
    <button
      type="button"
      className="switch"
      aria-label={`${isTable ? 'As a chart' : 'As a table'}: ${label}`}
      onClick={() => setParams({ table: isTable ? undefined : id })}
    >
      {isTable ? 'As a chart' : 'As a table'}
    </button>
  )
}

function NumberTable({ label, times, lines, format }: ChartProps) {
  const rows = times.map((time, i) => ({ time, i })).reverse()
  return (
    <div className="numbers">
      <Table
        label={label}
        columns={[
          { name: 'Time', cell: ({ time }) => clock(time) },
          ...lines.map(({ name, values }) => ({
            name,
            isNumber: true,
            cell: ({ i }: { i: number }) => format(values[i] ?? 0),
          })),
        ]}
        rows={rows}
        keyOf={({ time }) => time}
      />
    </div>
  )
}

const clock = (seconds: number): string => new Date(seconds * 1_000).toTimeString().slice(0, 5)

function Plot({ label, times, lines, format }: ChartProps) {
  const host = useRef<HTMLDivElement>(null)
  const plot = useRef<UPlot>(undefined)
  const data = useMemo<UPlot.AlignedData>(
    () => [[...times], ...lines.map(({ values }) => [...values])],
    [times, lines],
  )
  const latest = useRef(data)
  const shape = JSON.stringify(lines.map(({ name, dye, isDashed }) => ({ name, dye, isDashed })))
  const formatter = useRef(format)
  useEffect(() => {
    const element = host.current
    if (!element) return
    const draw = () => {
      plot.current?.destroy()
      plot.current = new UPlot(
        optionsOf(element, JSON.parse(shape) as Line[], formatter.current),
        latest.current,
        element,
      )
    }
    draw()
    const resize = new ResizeObserver(() =>
      plot.current?.setSize({ width: element.clientWidth, height: chartHeight }),
    )
    resize.observe(element)
    const endThemes = onThemeChange(draw)
    return () => {
      resize.disconnect()
      endThemes()
      plot.current?.destroy()
    }
  }, [shape])
  useEffect(() => {
    latest.current = data
    plot.current?.setData(data)
  }, [data])
  return (
    <>
      <div
        ref={host}
        className="plot"
        role="img"
        aria-label={`${label}. The button “As a table” shows the numbers.`}
      />
      {lines.length > 1 && (
        <p className="legend">
          {lines.map(({ name, dye, isDashed }) => (
            <span key={name} className={`${dye} ${isDashed ? 'dash' : ''}`}>
              {name}
            </span>
          ))}
        </p>
      )}
    </>
  )
}

function optionsOf(
  element: HTMLElement,
  lines: readonly Line[],
  format: (value: number) => string,
): UPlot.Options {
  const axis = {
    stroke: colorOf(element, 'ink-soft'),
    font: `12px ${getComputedStyle(element).fontFamily}`,
    grid: { stroke: colorOf(element, 'hair'), width: 1 },
    ticks: { show: false },
  }
  return {
    width: element.clientWidth,
    height: chartHeight,
    legend: { show: false },
    cursor: { y: false, points: { show: false } },
    scales: { y: { range: (_, __, max) => [0, Math.max(max * 1.1, 1)] } },
    axes: [
      { ...axis, values: (_, splits) => splits.map(clock), size: 28 },
      { ...axis, size: 56, values: (_, splits) => splits.map(format) },
    ],
    series: [
      {},
      ...lines.map(({ dye, isDashed }) => ({
        stroke: colorOf(element, dye),
        width: 2,
        points: { show: false },
        ...(isDashed && { dash: [6, 4] }),
      })),
    ],
  }
}

/** Returns the colour of a CSS variable in the current theme, in a form that a canvas can use. */
function colorOf(element: HTMLElement, token: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(--${token})`
  element.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

/** Calls back when the user or the system changes the theme. */
function onThemeChange(callback: () => void): () => void {
  const observer = new MutationObserver(callback)
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  const system = matchMedia('(prefers-color-scheme: dark)')
  system.addEventListener('change', callback)
  return () => {
    observer.disconnect()
    system.removeEventListener('change', callback)
  }
}
