import { countText, fieldLabel, namesOf } from '../model/names.ts'
import type { ConsoleType } from '../model/types.ts'
import { markOf } from '../model/types.ts'
import { Link } from '../parts/link.tsx'
import { ThreadMark } from '../parts/marks.tsx'
import type { GraphNode } from './use-node.ts'

/** The types that link to the record, with counts. A click shows those records in the grid. */
export function PointsHere({
  node,
  type,
  types,
  title,
}: {
  readonly node: GraphNode
  readonly type: ConsoleType
  readonly types: readonly ConsoleType[]
  readonly title: string
}) {
  const groups = node.groups.filter((group) => group.reverse && group.type !== '')
  const total = groups.reduce((sum, { count }) => sum + count, 0)
  return (
    <section className={`section ${type.mark.dye}`} aria-label="Links to this record">
      <h2>
        Links to this record <small>{countText(total, { one: 'link', many: 'links' })}</small>
      </h2>
      {groups.length === 0 && <p className="soft">No record links here.</p>}
      <ul className="here">
        {groups.map((group) => (
          <li key={group.type}>
            <PointingGroup connection={group.type} types={types} title={title} />
            <span className="num">{group.count.toLocaleString('en')}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function PointingGroup({
  connection,
  types,
  title,
}: {
  readonly connection: string
  readonly types: readonly ConsoleType[]
  readonly title: string
}) {
  const source = sourceOf(connection, types)
  const label = `${namesOf(source ?? connection).one} › ${fieldLabel(connection, source)}`
  if (source === undefined) return <span>{label}</span>
  const filter = new URLSearchParams({ filter: `${connection}:is:${title}` })
  return (
    <>
      <ThreadMark mark={markOf(types, source)} />
      <Link className="underline" to={`/records/${source}?${filter}`}>
        {label}
      </Link>
    </>
  )
}

/** Returns the type from which a connection starts, according to its name: `the_order` for `the_order_s_line`. */
function sourceOf(connection: string, types: readonly ConsoleType[]): string | undefined {
  const names = types
    .filter(({ kind, name }) => kind === 'record' && connection.startsWith(`${name}_`))
    .map(({ name }) => name)
  return names.toSorted((a, b) => b.length - a.length)[0]
}
