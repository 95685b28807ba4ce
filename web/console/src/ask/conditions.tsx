import type { Logic } from '@weft/client/internal'
import { useState } from 'react'
import { fieldLabel } from '../model/names.ts'
import { Icon } from '../parts/icon.tsx'
import { Menu, MenuItem } from '../parts/menu.tsx'
import { ConditionForm, type FormCondition, OperandForm } from './condition-form.tsx'
import { MemberField } from './member-field.tsx'
import { addFilter, nameNode } from './question/edit.ts'
import { type NodePath, nodeAt, nodesOf, setMembers } from './question/nodes.ts'
import { ensureWalk, type Walk } from './question/walk.ts'
import {
  applyFilter,
  filterNamed,
  joinWithNext,
  type LogicPath,
  logicOf,
  negate,
  setFilter,
  setLogicAt,
  sharedNode,
  unusedFilters,
  withoutFilters,
} from './question/where.ts'
import type { WireQuery } from './question/wire.ts'
import { conditionWords, ownerOf, wordsOfNamed } from './question/words.ts'
import type { Question } from './use-question.ts'
import { WalkMenu } from './walk-menu.tsx'

interface ConditionsProps {
  readonly question: Question
  /** The type of the roots. */
  readonly type: string
}

/** The conditions and how they are combined. */
export function Conditions({ question, type }: ConditionsProps) {
  const { query, change } = question
  const logic = logicOf(query)
  const unused = unusedFilters(query)
  return (
    <div className="conditions">
      {logic.status === 'tree' && logic.tree && (
        <Expression question={question} logic={logic.tree} path={[]} siblings={0} />
      )}
      {logic.status === 'broken' && (
        <p className="note a" role="alert">
          {logic.message}
        </p>
      )}
      {logic.status === 'tree' && unused.length > 0 && (
        <p className="chips">
          <span className="soft">Not used in the combination:</span>
          {unused.map((filter) => (
            <Leaf
              key={filter.name}
              question={question}
              name={filter.name ?? ''}
              path={undefined}
              siblings={0}
            />
          ))}
        </p>
      )}
      <div className="chips">
        <AddCondition question={question} type={type} />
        {(query.filters ?? []).length > 0 && (
          <Menu
            label={`Combination as text: ${query.filterLogic ?? 'no combination'}`}
            button={<code>{query.filterLogic ?? 'no combination'}</code>}
          >
            <div className="options">
              <MemberField
                label="Combination, with AND, OR, NOT, EXAND and parentheses"
                kind="text"
                value={query.filterLogic}
                set={(value) =>
                  change(
                    'Changed the combination',
                    setMembers(query, [], {
                      filterLogic: value === undefined ? undefined : String(value),
                    }),
                  )
                }
              />
            </div>
          </Menu>
        )}
      </div>
    </div>
  )
}

interface ExpressionProps {
  readonly question: Question
  readonly logic: Logic
  readonly path: LogicPath
  /** The number of expressions after this one in its group. */
  readonly siblings: number
}

const words = { and: 'and', or: 'or', exand: 'and' } as const

function Expression({ question, logic, path, siblings }: ExpressionProps) {
  const { query } = question
  if (logic.op === 'leaf')
    return <Leaf question={question} name={logic.filter} path={path} siblings={siblings} />
  if (logic.op === 'not')
    return (
      <div className="group">
        <GroupMenu question={question} logic={logic} path={path} siblings={siblings} label="not" />
        <Expression question={question} logic={logic.of[0]} path={[...path, 0]} siblings={0} />
      </div>
    )
  const shared = logic.op === 'exand' ? sharedNode(query, logic) : undefined
  const parts = logic.of.map((side, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the index is the place in the combination
    <span key={i} className="part">
      {i > 0 && <span className="soft">{words[logic.op]}</span>}
      <Expression
        question={question}
        logic={side}
        path={[...path, i]}
        siblings={logic.of.length - 1 - i}
      />
    </span>
  ))
  const label =
    shared !== undefined
      ? `one and the same ${sharedName(query, shared)} has`
      : logic.op === 'or'
        ? 'any of'
        : 'all of'
  return (
    <div className={path.length === 0 && logic.op === 'and' ? 'group top' : 'group'}>
      <GroupMenu question={question} logic={logic} path={path} siblings={siblings} label={label} />
      {parts}
    </div>
  )
}

/** Returns the name of one record of a node: "Line" for the connection `the_order_s_line`. */
function sharedName(query: WireQuery, path: NodePath): string {
  if (path.length === 0) return 'record'
  const { typeConnection = '' } = nodeAt(query, path)
  return fieldLabel(typeConnection.replace('_s_', '_'), ownerOf(typeConnection))
}

function GroupMenu({
  question,
  logic,
  path,
  siblings,
  label,
}: ExpressionProps & { readonly label: string }) {
  const { query, change } = question
  const setOp = (op: 'and' | 'or' | 'exand', name: string) =>
    change(
      name,
      setLogicAt(query, path, (one) =>
        'of' in one && one.op !== 'not' ? { op, of: one.of } : one,
      ),
    )
  return (
    <Menu label={`Group: ${label}`} button={<span className="soft">{label}</span>}>
      {logic.op !== 'not' && (
        <>
          <MenuItem run={() => setOp('and', 'All of the conditions')}>All of them (AND)</MenuItem>
          <MenuItem run={() => setOp('or', 'Any of the conditions')}>Any of them (OR)</MenuItem>
          <MenuItem run={() => setOp('exand', 'One and the same record')}>
            One and the same record (EXAND)
          </MenuItem>
        </>
      )}
      <MenuItem run={() => change('Negated a group', setLogicAt(query, path, negate))}>
        {logic.op === 'not' ? 'Remove “not”' : 'Not'}
      </MenuItem>
      <JoinItems question={question} path={path} siblings={siblings} />
    </Menu>
  )
}

function JoinItems({ question, path, siblings }: Omit<ExpressionProps, 'logic'>) {
  const { query, change } = question
  if (siblings === 0) return null
  return (
    <>
      <MenuItem run={() => change('Grouped with “and”', joinWithNext(query, path, 'and'))}>
        Group with the next (AND)
      </MenuItem>
      <MenuItem run={() => change('Grouped with “or”', joinWithNext(query, path, 'or'))}>
        Group with the next (OR)
      </MenuItem>
      <MenuItem
        run={() => change('Grouped for the same record', joinWithNext(query, path, 'exand'))}
      >
        Group with the next, for the same record (EXAND)
      </MenuItem>
    </>
  )
}

interface LeafProps {
  readonly question: Question
  readonly name: string
  /** The place in the combination; undefined for a condition that is not used in it. */
  readonly path: LogicPath | undefined
  readonly siblings: number
}

function Leaf({ question, name, path, siblings }: LeafProps) {
  const { query, change } = question
  const filter = filterNamed(query, name)
  const label = wordsOfNamed(query, name)
  const save = ({ node, filter: next }: FormCondition) => {
    const place = nodesOf(query)[node]?.path ?? []
    const named = nameNode(query, place)
    change(`Changed ${label}`, setFilter(named.query, name, { ...next, operateon: named.name }))
  }
  return (
    <span className="leaf">
      <Menu label={`Condition: ${label}`} className="chip" button={<b>{label}</b>}>
        {filter && <ConditionForm query={query} filter={filter} save={save} />}
        {path === undefined ? (
          <MenuItem run={() => change(`Used ${label}`, applyFilter(query, name))}>Use it</MenuItem>
        ) : (
          <MenuItem run={() => change(`Negated ${label}`, setLogicAt(query, path, negate))}>
            Not
          </MenuItem>
        )}
        {path !== undefined && <JoinItems question={question} path={path} siblings={siblings} />}
        <MenuItem run={() => change(`Removed ${label}`, withoutFilters(query, [name]))}>
          Remove
        </MenuItem>
      </Menu>
    </span>
  )
}

function AddCondition({ question, type }: ConditionsProps) {
  const { query, change } = question
  const [chosen, setChosen] = useState<Walk>()
  const add = (next: WireQuery, path: NodePath, filter: FormCondition['filter']) => {
    const added = addFilter(next, path, filter)
    const last = added.filters?.at(-1)
    change(`Added ${last ? conditionWords(added, last) : 'a condition'}`, added)
  }
  return (
    <>
      <Menu
        label="Add a condition"
        button={
          <>
            <Icon name="plus" /> Condition
          </>
        }
      >
        {chosen ? (
          <OperandForm
            back={() => setChosen(undefined)}
            save={(op, search) => {
              const reached = ensureWalk(query, [], chosen)
              const operand = op === 'exists' ? {} : { search }
              const part = chosen.part === undefined ? {} : { type: chosen.part }
              setChosen(undefined)
              add(reached.query, reached.path, { ...part, logicoperator: op, ...operand })
            }}
          />
        ) : (
          <WalkMenu
            type={type}
            takesRecords
            staysOpen
            choose={setChosen}
            chooseName={(name) =>
              setChosen({
                steps: [{ connection: name, reverse: false, type: '' }],
                part: undefined,
              })
            }
          />
        )}
      </Menu>
      <Menu
        label="Add a condition by names"
        button={
          <>
            <Icon name="plus" /> Condition by names
          </>
        }
      >
        <ConditionForm
          key={(query.filters ?? []).length}
          query={query}
          save={({ node, filter }) => add(query, nodesOf(query)[node]?.path ?? [], filter)}
        />
      </Menu>
    </>
  )
}
