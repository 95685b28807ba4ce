import type { Id } from '@weft/client'
import { namesOf } from '../model/names.ts'
import { type ConsoleType, markOf } from '../model/types.ts'
import { LinkRing, ThreadMark } from '../parts/marks.tsx'
import { type Drawing, shownNodes } from './drawing.ts'
import { groupName, nodeName } from './names.ts'

/** The drawing as a list: every shown node, with its links to other shown nodes. Each is a button that selects a node. */
export function DrawingList({
  drawing,
  types,
  selected,
  select,
}: {
  readonly drawing: Drawing
  readonly types: readonly ConsoleType[]
  readonly selected: Id | undefined
  readonly select: (id: Id) => void
}) {
  const nodes = shownNodes(drawing)
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const links = new Map<Id, { readonly text: string; readonly to: Id }[]>()
  const add = (at: Id, to: Id, text: string) =>
    links.set(at, [...(links.get(at) ?? []), { text, to }])
  for (const { from, to, type } of drawing.links.values()) {
    if (!byId.has(from) || !byId.has(to)) continue
    add(from, to, groupName(types, { type, reverse: false, count: 1 }))
    add(to, from, groupName(types, { type, reverse: true, count: 1 }))
  }
  return (
    <ul className="graph-list" aria-label="The drawing as a list">
      {nodes.map((node) => (
        <li key={node.id} aria-current={node.id === selected ? 'true' : undefined}>
          <button type="button" className="graph-node" onClick={() => select(node.id)}>
            <ThreadMark mark={markOf(types, node.type)} />
            <b>{nodeName(node)}</b> <span className="soft">{namesOf(node.type).one}</span>
          </button>
          <ul>
            {(links.get(node.id) ?? []).map(({ text, to }, i) => {
              const other = byId.get(to)
              return (
                // biome-ignore lint/suspicious/noArrayIndexKey: equal links have no other key
                <li key={`${to} ${text} ${i}`}>
                  <span className="soft">{text}</span>{' '}
                  <button type="button" className="graph-word" onClick={() => select(to)}>
                    <LinkRing mark={markOf(types, other?.type ?? '')}>
                      {other && nodeName(other)}
                    </LinkRing>
                  </button>
                </li>
              )
            })}
          </ul>
        </li>
      ))}
    </ul>
  )
}
