export interface Line {
  readonly name: string
  /** Lines of one group have one color. */
  readonly group: string
  /** Drawn with dashes. */
  readonly faint: boolean
  readonly points: readonly (readonly [x: number, y: number])[]
}

const [width, height, left, right, edge] = [760, 420, 60, 300, 30]
const colors = ['#1b6ca8', '#b8442c', '#2f7d4f', '#7a4fa3', '#a87a1b', '#5c6670']

/** Lines over two logarithmic axes, as SVG. */
export function plot(lines: readonly Line[]): string {
  const all = lines.flatMap(({ points }) => points)
  const x = axis(
    all.map(([x]) => x),
    left,
    width - right,
  )
  const y = axis(
    all.map(([, y]) => y),
    height - edge,
    edge,
  )
  const groups = [...new Set(lines.map(({ group }) => group))]
  const grid = [
    ...x.ticks.map((n) => text(x.at(n), height - 10, label(n), 'middle')),
    ...y.ticks.flatMap((n) => [
      `<line x1="${left}" x2="${width - right}" y1="${y.at(n)}" y2="${y.at(n)}" stroke="#ddd"/>`,
      text(left - 6, y.at(n) + 4, label(n), 'end'),
    ]),
  ]
  const drawn = lines.flatMap(({ name, group, faint, points }, i) => {
    const color = colors[groups.indexOf(group) % colors.length]
    const path = points.map(([a, b]) => `${x.at(a)},${y.at(b)}`).join(' ')
    const dashes = faint ? ' stroke-dasharray="4 3"' : ''
    const stroke = `fill="none" stroke="${color}" stroke-width="2"${dashes}`
    const at = edge + 10 + 22 * i
    return [
      `<polyline points="${path}" ${stroke}/>`,
      `<polyline points="${width - right + 15},${at} ${width - right + 40},${at}" ${stroke}/>`,
      text(width - right + 46, at + 4, name, 'start'),
    ]
  })
  const size = `viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`
  const font = 'font-family="system-ui, sans-serif" font-size="12"'
  const paper = `<rect width="${width}" height="${height}" fill="#fff"/>`
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} ${font}>\n${[paper, ...grid, ...drawn].join('\n')}\n</svg>\n`
}

/** From one power of ten to another. */
function axis(values: readonly number[], from: number, to: number) {
  const low = Math.floor(Math.log10(Math.min(...values)))
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))))
  const at = (n: number) =>
    Number((from + ((Math.log10(n) - low) / (high - low)) * (to - from)).toFixed(1))
  return { at, ticks: Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i)) }
}

const label = (n: number): string => (n >= 1 ? n.toLocaleString('en') : String(n))

const text = (x: number, y: number, words: string, anchor: string): string =>
  `<text x="${x}" y="${y}" text-anchor="${anchor}" fill="#333">${words.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</text>`
