import type { Id } from '@weft/client'
import { useEffect } from 'react'
import { showKeys } from '../model/keys.ts'
import { namesOf, numberText } from '../model/names.ts'
import { type ConsoleType, markOf } from '../model/types.ts'
import { Icon } from '../parts/icon.tsx'
import { Link } from '../parts/link.tsx'
import { ThreadMark } from '../parts/marks.tsx'
import { Loading } from '../parts/states.tsx'
import type { LinkGroup, NodeInfo } from './api.ts'
import { collapseGroup, type Drawing, membersOf } from './drawing.ts'
import { expandGroup, loadGroups } from './explore.ts'
import { groupName, nodeName, sourceType } from './names.ts'
import { changeDrawing } from './store.ts'

/** An action on the selected node. */
export interface NodeAction {
  readonly label: string
  readonly keys: string
  readonly run: () => void
}

/** The selected node: its links by type with counts, and the actions on it. */
export function Panel({
  node,
  drawing,
  types,
  actions,
  openPicker,
}: {
  readonly node: NodeInfo
  readonly drawing: Drawing
  readonly types: readonly ConsoleType[]
  readonly actions: readonly NodeAction[]
  readonly openPicker: (of: Id, group: LinkGroup) => void
}) {
  const groups = drawing.groups.get(node.id)
  useEffect(() => void loadGroups(node.id), [node.id])
  return (
    <aside className="graph-panel" aria-label="Selected record">
      <p className="graph-type">
        <ThreadMark mark={markOf(types, node.type)} /> {namesOf(node.type).one}
        {node.kind === 'record' && (
          <Link className="button quiet small" to={`/records/${node.type}/${node.id}`}>
            Open record
          </Link>
        )}
      </p>
      <h2 className="graph-name">{nodeName(node)}</h2>
      <section className={`section ${markOf(types, node.type).dye}`} aria-label="Links">
        <h2>
          Links <small>show or hide them by type</small>
        </h2>
        {groups === undefined && <Loading>Still counting the links.</Loading>}
        {groups?.length === 0 && <p className="soft">Nothing is linked to this record.</p>}
        <ul className="graph-groups">
          {groups?.map((group) => (
            <GroupRow
              key={`${group.reverse} ${group.type}`}
              {...{ node, drawing, types, group, openPicker }}
            />
          ))}
        </ul>
      </section>
      <section className="section" aria-label="Actions">
        <h2>Actions</h2>
        <ul className="graph-actions">
          {actions.map(({ label, keys, run }) => (
            <li key={label}>
              <button type="button" onClick={run}>
                <span>{label}</span>
                <kbd>{showKeys(keys)}</kbd>
              </button>
            </li>
          ))}
        </ul>
      </section>
    </aside>
  )
}

function GroupRow({
  node,
  drawing,
  types,
  group,
  openPicker,
}: {
  readonly node: NodeInfo
  readonly drawing: Drawing
  readonly types: readonly ConsoleType[]
  readonly group: LinkGroup
  readonly openPicker: (of: Id, group: LinkGroup) => void
}) {
  const shown = membersOf(drawing, node.id, group).size
  const name = groupName(types, group)
  const mark = markOf(types, sourceType(types, group.type))
  const hide = () =>
    changeDrawing(`Hid ${name} of ${nodeName(node)}`, collapseGroup(drawing, node.id, group))
  const count =
    shown >= group.count
      ? numberText(group.count)
      : `${numberText(shown)} of ${numberText(group.count)}`
  return (
    <li>
      <ThreadMark mark={mark} />
      <span className="grow">{name}</span>
      <span className="num soft">{count}</span>
      {shown > 0 && shown < group.count && (
        <button
          type="button"
          className="graph-word"
          aria-label={`Choose more of ${name}`}
          onClick={() => openPicker(node.id, group)}
        >
          More
        </button>
      )}
      {shown > 0 ? (
        <button type="button" className="graph-word" aria-label={`Hide ${name}`} onClick={hide}>
          Hide
        </button>
      ) : (
        <button
          type="button"
          className="graph-word"
          aria-label={`Show ${name}`}
          onClick={() => void expandGroup(node.id, group, name)}
        >
          Show
        </button>
      )}
    </li>
  )
}

/** The panel while no node is selected. */
export function NoSelection() {
  return (
    <aside className="graph-panel" aria-label="Selected record">
      <p className="soft">
        <Icon name="graph" /> Select a record in the drawing or in the list.
      </p>
    </aside>
  )
}
