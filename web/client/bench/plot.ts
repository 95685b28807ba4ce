/** Lines over axes of their own, the first of them dashed. */
export interface Panel {
  readonly title: string
  readonly lines: readonly {
    readonly name: string
    readonly points: readonly (readonly [x: number, y: number])[]
  }[]
}

const [width, height, columns] = [370, 230, 2]
const [left, right, top, bottom] = [64, 30, 46, 28]

const about = 'What each question costs as there is more data'

/** Colors that are read on white and on black paper. */
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

/** Panels beside and below each other, each over two logarithmic axes, as SVG. */
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
    `<title>${about}</title>`,
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
    ...x.ticks.map((n) => text(x.at(n), height - bottom + 18, short(n), 'middle')),
    ...y.ticks.map((n) => {
      const line = `<line class="grid" x1="${left}" x2="${width - right}" y1="${y.at(n)}" y2="${y.at(n)}"/>`
      return `${line}${text(left - 8, y.at(n) + 4, label(n), 'end')}`
    }),
    ...lines.flatMap(({ points }, i) => [
      stroke(i, points.map(([a, b]) => `${x.at(a)},${y.at(b)}`).join(' ')),
      ...points.map(
        ([a, b]) =>
          `<circle class="dot${i === 0 ? '0' : ''}" cx="${x.at(a)}" cy="${y.at(b)}" r="3"/>`,
      ),
    ]),
  ]
}

const stroke = (line: number, points: string): string =>
  `<polyline class="line${line === 0 ? '0' : ''}" points="${points}"/>`

/** From one power of ten to another. */
function axis(values: readonly number[], from: number, to: number) {
  const low = Math.floor(Math.log10(Math.min(...values)))
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))))
  const at = (n: number) =>
    Number((from + ((Math.log10(n) - low) / (high - low)) * (to - from)).toFixed(1))
  return { at, ticks: Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i)) }
}

const short = (n: number): string => n.toLocaleString('en', { notation: 'compact' })

const label = (n: number): string => (n >= 1 ? n.toLocaleString('en') : n.toPrecision(1))

function text(x: number, y: number, words: string, anchor: string, name = ''): string {
  const safe = words.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  const named = name && ` class="${name}"`
  return `<text${named} x="${x}" y="${y}" text-anchor="${anchor}">${safe}</text>`
}
