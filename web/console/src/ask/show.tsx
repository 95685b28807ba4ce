import { fieldLabel } from '../model/names.ts'
import { Chip } from '../parts/chip.tsx'
import { Icon } from '../parts/icon.tsx'
import { Menu, MenuItem } from '../parts/menu.tsx'
import { HopOptions } from './hop-options.tsx'
import { addHop, addSelector, removeHop, removeSelector } from './question/edit.ts'
import { type NodePath, nodeAt } from './question/nodes.ts'
import { showWalk } from './question/walk.ts'
import type { WireQuery } from './question/wire.ts'
import { connectionName, ownerOf } from './question/words.ts'
import type { Question } from './use-question.ts'
import { WalkMenu } from './walk-menu.tsx'

interface ShowProps {
  readonly question: Question
  readonly path: NodePath
  /** Returns the type of the records of a node; empty if it is unknown. */
  readonly typeOf: (path: NodePath) => string
}

/** The fields that are returned with each result of a node, and its hops with their fields. */
export function Show({ question, path, typeOf }: ShowProps) {
  const { query, change } = question
  const node = nodeAt(query, path)
  return (
    <>
      <div className="chips">
        {path.length > 0 && <Hop question={question} path={path} hop={node} />}
        {(node.selectors ?? []).map((selector) => (
          <Chip
            key={selector}
            removeLabel={`Do not show ${selectorName(selector)}`}
            remove={() =>
              change(`Removed ${selectorName(selector)}`, removeSelector(query, path, selector))
            }
          >
            <b>{selectorName(selector)}</b>
          </Chip>
        ))}
        <AddShown question={question} path={path} type={typeOf(path)} />
      </div>
      {(node.freeschemaQueries ?? []).length > 0 && (
        <ul className="hops">
          {(node.freeschemaQueries ?? []).map((_, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the index is the place of a hop
            <li key={i}>
              <Show question={question} path={[...path, i]} typeOf={typeOf} />
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

function Hop({ question, path, hop }: { question: Question; path: NodePath; hop: WireQuery }) {
  const { query, change } = question
  const name = connectionName(hop)
  return (
    <span className="hop">
      <Menu button={<b>{name}</b>} label={`Settings of ${name}`} className="chip">
        <HopOptions question={question} path={path} />
        <MenuItem run={() => change(`Removed ${name}`, removeHop(query, path))}>Remove</MenuItem>
      </Menu>
      <span className="soft">{hopDetails(hop).join(', ')}</span>
    </span>
  )
}

/** Returns the settings of a hop in words. */
function hopDetails(hop: WireQuery): readonly string[] {
  return [
    ...(hop.reverse ? ['links to this record'] : []),
    ...(hop.limit ? [`${hop.inpage ?? 10} each${hop.page ? `, page ${hop.page}` : ''}`] : []),
    ...(hop.depth ? [`up to ${hop.depth} times`] : []),
    ...(hop.aggregate ? [aggregateWords[hop.aggregate.toLowerCase()] ?? hop.aggregate] : []),
    ...(hop.includeInFilter ? ['even without a match'] : []),
    ...(hop.order?.toUpperCase() === 'ASC' ? ['oldest first'] : []),
  ]
}

const aggregateWords: Readonly<Record<string, string>> = {
  count: 'number in each record',
  group: 'each value and its number',
  distinct: 'number of different values',
}

function AddShown({ question, path, type }: { question: Question; path: NodePath; type: string }) {
  const { query, change } = question
  const where = path.length === 0 ? '' : ` of ${connectionName(nodeAt(query, path))}`
  return (
    <>
      <Menu
        label={`Add a field${where}`}
        button={
          <>
            <Icon name="plus" /> {path.length === 0 ? 'Field' : ''}
          </>
        }
      >
        {path.length === 0 && (
          <MenuItem run={() => change('Added all own fields', addSelector(query, path, 'self'))}>
            All own fields
          </MenuItem>
        )}
        <WalkMenu
          type={type}
          takesRecords
          choose={(walk) => change('Added a field', showWalk(query, path, walk))}
          chooseName={(name) => change(`Added ${fieldLabel(name)}`, addSelector(query, path, name))}
        />
      </Menu>
      <Menu
        label={`Follow a link${where}`}
        button={
          <>
            <Icon name="plus" /> {path.length === 0 ? 'Link' : <span className="unseen">Link</span>}
            {path.length > 0 && <Icon name="right" />}
          </>
        }
      >
        <WalkMenu
          type={type}
          takesRecords={false}
          choose={({ steps, part }) => {
            const [step] = steps
            const hop: WireQuery = step
              ? { typeConnection: step.connection, ...(step.reverse && { reverse: true }) }
              : { typeConnection: 'self', ...(part !== undefined && { direct: true }) }
            change('Added a link', addHop(query, path, hop))
          }}
          chooseName={(name) =>
            change(`Added ${fieldLabel(name)}`, addHop(query, path, { typeConnection: name }))
          }
        />
      </Menu>
    </>
  )
}

const selectorName = (selector: string): string =>
  selector === 'self' ? 'All own fields' : fieldLabel(selector, ownerOf(selector))
