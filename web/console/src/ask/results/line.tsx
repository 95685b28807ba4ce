import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { type ChartData, isTimeLine, positionOf } from './chart-data.ts'

/** A line over numbers or times, drawn by uPlot. It can be zoomed by dragging; a double click shows all again. */
export function Line({ data }: { data: ChartData }) {
  const host = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = host.current
    if (!element) return
    const plot = new uPlot(optionsOf(data, element), seriesOf(data), element)
    const observer = new ResizeObserver(() =>
      plot.setSize({ width: element.clientWidth, height: chartHeight }),
    )
    observer.observe(element)
    return () => {
      observer.disconnect()
      plot.destroy()
    }
  }, [data])
  return <div ref={host} className="line-chart" aria-hidden="true" />
}

const chartHeight = 280

/** Returns the points in order of their positions. Points at the same position are added. */
function seriesOf({ points }: ChartData): uPlot.AlignedData {
  const sums = new Map<number, number>()
  for (const { label, value } of points) {
    const at = positionOf(label)
    if (at !== undefined) sums.set(at, (sums.get(at) ?? 0) + value)
  }
  const sorted = [...sums].sort(([a], [b]) => a - b)
  return [sorted.map(([at]) => at), sorted.map(([, value]) => value)]
}

function optionsOf(data: ChartData, element: HTMLElement): uPlot.Options {
  const style = getComputedStyle(element)
  const color = (name: string) => style.getPropertyValue(name).trim()
  const axis = {
    stroke: style.color,
    grid: { stroke: color('--hair') || style.borderColor },
    ticks: { stroke: color('--line') || style.borderColor },
    font: `12px ${style.fontFamily}`,
  }
  return {
    width: element.clientWidth,
    height: chartHeight,
    scales: { x: { time: isTimeLine(data) } },
    legend: { show: false },
    axes: [axis, { ...axis, size: 60 }],
    series: [
      { label: data.labels },
      {
        label: data.values,
        stroke: style.getPropertyValue('border-top-color') || style.color,
        width: 2,
        points: { show: true },
      },
    ],
  }
}
