import type { Finding } from '../model/found.ts'
import { fieldLabel, numberText } from '../model/names.ts'
import type { ConsoleType } from '../model/types.ts'
import { Link } from '../parts/link.tsx'
import { layOut, place, type TypeLink } from './layout.ts'

const box = { width: 136, height: 52 }

interface PictureProps {
  readonly types: readonly ConsoleType[]
  readonly find: (type: string) => Finding
  readonly selected: string
}

/** The types as boxes and their links as lines: solid for links found in the data, dashed for links that are only declared. */
export function Picture({ types, find, selected }: PictureProps) {
  const names = types.map(({ name }) => name)
  const links = linksOf(types, find)
  const columns = Math.max(2, Math.ceil(Math.sqrt(names.length * 0.6)))
  const boxes = layOut(names, links, columns)
  const at = new Map(boxes.map((one) => [one.name, one]))
  const width = Math.max(...boxes.map(({ x }) => x), 0) + place.width
  const height = Math.max(...boxes.map(({ y }) => y), 0) + place.height
  return (
    <svg
      className="schema-picture"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
    >
      <title>Types and their links. The table of each type has the same links.</title>
      {links.map((link) => (
        <Line
          key={`${link.from} ${link.to} ${link.label}`}
          link={link}
          at={at}
          isSelected={link.from === selected || link.to === selected}
        />
      ))}
      {boxes.map(({ name, x, y }) => {
        const type = types.find((one) => one.name === name)
        return (
          type && (
            <Link
              key={name}
              to={`/schema/${name}`}
              aria-current={name === selected ? 'page' : undefined}
            >
              <g
                transform={`translate(${x + (place.width - box.width) / 2} ${y + (place.height - box.height) / 2})`}
              >
                <rect
                  className={`box ${type.declared ? 'declared' : ''} ${name === selected ? 'selected' : ''}`}
                  width={box.width}
                  height={box.height}
                  rx="3"
                />
                <rect className={`mark ${type.mark.dye}`} width="4" height={box.height} />
                <text x="14" y="22" className="box-name">
                  {clip(type.names.many)}
                </text>
                <text x="14" y="40">
                  {type.counted ? '' : '~'}
                  {numberText(type.count)}
                  {type.declared ? ', declared' : ''}
                </text>
              </g>
            </Link>
          )
        )
      })}
    </svg>
  )
}

const clip = (text: string): string => (text.length > 15 ? `${text.slice(0, 14)}…` : text)

interface PictureLink extends TypeLink {
  readonly isFound: boolean
}

/** Returns the links between the types. Several links from one type to another are drawn as one. */
function linksOf(
  types: readonly ConsoleType[],
  find: (type: string) => Finding,
): readonly PictureLink[] {
  const known = new Set(types.map(({ name }) => name))
  const labels = new Map<
    string,
    { from: string; to: string; names: Set<string>; isFound: boolean }
  >()
  const add = (from: string, to: string, label: string, isFound: boolean) => {
    if (!known.has(to)) return
    const link = labels.get(`${from} ${to}`) ?? { from, to, names: new Set(), isFound: false }
    link.names.add(label)
    link.isFound ||= isFound
    labels.set(`${from} ${to}`, link)
  }
  for (const { name, declared } of types) {
    const finding = find(name)
    if (finding.status === 'ready')
      for (const link of finding.found.links)
        if (!link.reverse && link.kind === '')
          for (const to of link.types) add(name, to, fieldLabel(link.connection, name), true)
    for (const [field, { targets = [] }] of Object.entries(declared?.fields ?? {}))
      for (const to of targets) add(name, `the_${to}`, fieldLabel(field), false)
  }
  return [...labels.values()].map(({ from, to, names, isFound }) => ({
    from,
    to,
    label: [...names].join(', '),
    isFound,
  }))
}

interface LineProps {
  readonly link: PictureLink
  readonly at: ReadonlyMap<string, { readonly x: number; readonly y: number }>
  readonly isSelected: boolean
}

function Line({ link, at, isSelected }: LineProps) {
  const [from, to] = [at.get(link.from), at.get(link.to)]
  if (!from || !to) return null
  const [x1, y1] = [from.x + place.width / 2, from.y + place.height / 2]
  const [x2, y2] = [to.x + place.width / 2, to.y + place.height / 2]
  const className = `line ${link.isFound ? '' : 'planned'} ${isSelected ? 'selected' : ''}`
  // Between two boxes beside each other there is less space.
  const most = y1 === y2 ? 11 : 28
  const label = link.label.length > most ? `${link.label.slice(0, most - 1)}…` : link.label
  if (link.from === link.to)
    return (
      <g className="drawn-link">
        <path className={className} d={`M${x1 + 40} ${y1 - 26}c10 -34 50 -34 35 18`} />
        <text x={x1 + 72} y={y1 - 38} textAnchor="middle">
          {label}
        </text>
      </g>
    )
  return (
    <g className="drawn-link">
      <path className={className} d={`M${x1} ${y1}L${x2} ${y2}`} />
      <text x={x1 + (x2 - x1) * 0.5} y={y1 + (y2 - y1) * 0.5 - 5} textAnchor="middle">
        {label}
      </text>
    </g>
  )
}
