/** A chart with its own axes. Its first line is dashed. */
export interface Panel {
  readonly title: string
  readonly lines: readonly {
    readonly name: string
    readonly points: readonly (readonly [x: number, y: number])[]
  }[]
}

const [width, height, columns] = [370, 230, 2]
const [left, right, top, bottom] = [64, 30, 46, 28]

const description = 'Cost of each operation by amount of data'

/** Colors that are readable on light and on dark backgrounds. */
const style = `
  text { font: 12px system-ui, sans-serif; fill: #333 }
  .paper { fill: #fff } .grid { stroke: #ddd } .title { font-weight: 600 }
  .line { fill: none; stroke: #1b6ca8; stroke-width: 2 } .dot { fill: #1b6ca8 }
  .line0 { fill: none; stroke: #777; stroke-width: 2; stroke-dasharray: 5 4 } .dot0 { fill: #777 }
  @media (prefers-color-scheme: dark) {
    text { fill: #ddd }
    .paper { fill: #0d1117 } .grid { stroke: #333 }
    .line { stroke: #6cb6ff } .dot { fill: #6cb6ff } .line0 { stroke: #999 } .dot0 { fill: #999 }
  }
`

/** Draws panels in a grid, each with two logarithmic axes, as SVG. */
export function plot(panels: readonly Panel[]): string {
  const [w, h] = [width * columns, height * Math.ceil(panels.length / columns) + 30]
  const names = (panels[0]?.lines ?? []).map(({ name }) => name)
  const legend = names.map((name, i) => {
    const x = left + 120 * i
    return `${stroke(i, `${x},15 ${x + 28},15`)}${text(x + 34, 19, name, 'start')}`
  })
  const drawn = panels.map((panel, i) => {
    const [x, y] = [width * (i % columns), 30 + height * Math.floor(i / columns)]
    return `<g transform="translate(${x} ${y})">\n${drawPanel(panel).join('\n')}\n</g>`
  })
  const size = `viewBox="0 0 ${w} ${h}" width="${w}" height="${h}"`
  const paper = `<rect class="paper" width="${w}" height="${h}"/>`
  const inside = [
    `<title>${description}</title>`,
    `<style>${style}</style>`,
    paper,
    ...legend,
    ...drawn,
  ].join('\n')
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size}>\n${inside}\n</svg>\n`
}

function drawPanel({ title, lines }: Panel): string[] {
  const all = lines.flatMap(({ points }) => points)
  const x = axis(
    all.map((point) => point[0]),
    left,
    width - right,
  )
  const y = axis(
    all.map((point) => point[1]),
    height - bottom,
    top,
  )
  return [
    text(left, top - 16, title, 'start', 'title'),
    ...x.ticks.map((n) => text(x.scale(n), height - bottom + 18, compact(n), 'middle')),
    ...y.ticks.map((n) => {
      const line = `<line class="grid" x1="${left}" x2="${width - right}" y1="${y.scale(n)}" y2="${y.scale(n)}"/>`
      return `${line}${text(left - 8, y.scale(n) + 4, precise(n), 'end')}`
    }),
    ...lines.flatMap(({ points }, i) => [
      stroke(i, points.map(([a, b]) => `${x.scale(a)},${y.scale(b)}`).join(' ')),
      ...points.map(
        ([a, b]) =>
          `<circle class="dot${i === 0 ? '0' : ''}" cx="${x.scale(a)}" cy="${y.scale(b)}" r="3"/>`,
      ),
    ]),
  ]
}

const stroke = (line: number, points: string): string =>
  `<polyline class="line${line === 0 ? '0' : ''}" points="${points}"/>`

/** Returns a logarithmic axis between two powers of ten, from the pixel `from` to the pixel `to`. */
function axis(values: readonly number[], from: number, to: number) {
  const low = Math.floor(Math.log10(Math.min(...values)))
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))))
  const scale = (n: number) =>
    Number((from + ((Math.log10(n) - low) / (high - low)) * (to - from)).toFixed(1))
  return { scale, ticks: Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i)) }
}

const compact = (n: number): string => n.toLocaleString('en', { notation: 'compact' })

const precise = (n: number): string => (n >= 1 ? n.toLocaleString('en') : n.toPrecision(1))

function text(x: number, y: number, content: string, anchor: string, className = ''): string {
  const escaped = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  const classAttribute = className && ` class="${className}"`
  return `<text${classAttribute} x="${x}" y="${y}" text-anchor="${anchor}">${escaped}</text>`
}
