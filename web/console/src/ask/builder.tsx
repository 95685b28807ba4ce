import { useFound } from '../model/found.ts'
import { fieldLabel } from '../model/names.ts'
import { markOf, useTypes } from '../model/types.ts'
import { Icon } from '../parts/icon.tsx'
import { ThreadMark } from '../parts/marks.tsx'
import { Menu, MenuItem } from '../parts/menu.tsx'
import { Conditions } from './conditions.tsx'
import { orders } from './hop-options.tsx'
import { type MemberEntry, MemberField, MemberFields } from './member-field.tsx'
import { typeOfNode, typesOfNodes } from './node-types.ts'
import { addOrder, setOrder } from './question/edit.ts'
import { type Changes, type NodePath, setMembers } from './question/nodes.ts'
import { keptParts, type WireOrder, type WireQuery } from './question/wire.ts'
import { orderWords, ownerOf } from './question/words.ts'
import { Show } from './show.tsx'
import type { Question } from './use-question.ts'
import { WalkMenu } from './walk-menu.tsx'

/** The question as a sentence whose parts can be changed: Find … where … show … sorted by … */
export function Builder({ question }: { question: Question }) {
  const { query } = question
  const find = useFound(typesOfNodes(query, useKnown()))
  const typeOf = (path: NodePath) => typeOfNode(query, path, find)
  const kept = keptParts(query)
  return (
    <div className="steps">
      <Step word="Find">
        <Root question={question} />
      </Step>
      <Step word="where">
        <Conditions question={question} type={query.type ?? ''} />
      </Step>
      <Step word="show">
        <Show question={question} path={[]} typeOf={typeOf} />
      </Step>
      <Step word="sorted by">
        <Orders question={question} />
      </Step>
      {kept.length > 0 && (
        <Step word="kept as written">
          <ul className="kept">
            {kept.map(({ path, text: json }) => (
              <li key={path}>
                <code>
                  {path}: {json.length > 60 ? `${json.slice(0, 60)}…` : json}
                </code>
              </li>
            ))}
          </ul>
        </Step>
      )}
    </div>
  )
}

/** Returns the descriptions of types that are already loaded, without loading more. */
const useKnown = () => useFound(noTypes)
const noTypes: readonly string[] = []

function Step({ word, children }: { word: string; children: React.ReactNode }) {
  return (
    <section className="step" aria-label={word}>
      <span className="word">{word}</span>
      <div>{children}</div>
    </section>
  )
}

function Root({ question }: { question: Question }) {
  const { query, change } = question
  const { types } = useTypes()
  const type = types.find(({ name }) => name === query.type)
  const ids = query.conceptIds ?? []
  const set = (changes: Changes<WireQuery>) =>
    change('Changed the question', setMembers(query, [], changes))
  const choose = (name: string) =>
    change(`Find ${fieldLabel(name)}`, setMembers(query, [], { type: name, conceptIds: undefined }))
  const label =
    ids.length > 0
      ? `${ids.length} chosen ${ids.length === 1 ? 'record' : 'records'}`
      : (type?.names.many ?? (query.type ? fieldLabel(query.type) : 'Choose a type'))
  return (
    <div className="chips">
      <Menu
        label={`Find: ${label}`}
        className="chip"
        button={
          <>
            {query.type !== undefined && <ThreadMark mark={markOf(types, query.type)} />}
            <b>{label}</b>
          </>
        }
      >
        {types
          .filter(({ kind }) => kind === 'record')
          .map(({ name, names }) => (
            <MenuItem key={name} run={() => choose(name)}>
              {names.many}
            </MenuItem>
          ))}
        <div className="options">
          <MemberField
            label="Name of the type"
            kind="text"
            value={query.type}
            set={(v) => set({ type: v === undefined ? undefined : String(v) })}
          />
          <MemberField
            label="Or ids of records"
            kind="text"
            value={ids.join(' ')}
            set={(v) => set({ conceptIds: idsIn(String(v ?? '')) })}
          />
        </div>
      </Menu>
      <Menu
        label={`Order and pages: ${pageWords(query)}`}
        button={<span className="soft">{pageWords(query)}</span>}
      >
        <MemberFields object={query} entries={rootEntries} set={set} />
      </Menu>
    </div>
  )
}

const rootEntries: readonly MemberEntry[] = [
  { member: 'order', label: 'Order', kind: { choices: orders } },
  { member: 'inpage', label: 'Records per page', kind: 'number' },
  { member: 'page', label: 'Page', kind: 'number' },
  { member: 'after', label: 'After the cursor', kind: 'text' },
  { member: 'countAll', label: 'Count all records, even if it is slow', kind: 'flag' },
  { member: 'explain', label: 'Explain', kind: 'flag' },
  { member: 'warnings', label: 'Warn about parts without effect', kind: 'flag' },
  { member: 'name', label: 'Name', kind: 'text' },
  { member: 'outputFormat', label: 'Output format', kind: 'number' },
]

const idsIn = (list: string): readonly number[] =>
  list
    .split(/[\s,]+/)
    .filter((id) => /^-?\d+$/.test(id))
    .map(Number)

/** Returns order and pages in words: "newest first, 10 a page". */
function pageWords({ order, inpage = 10, page = 1, after, countAll }: WireQuery): string {
  return [
    order?.toUpperCase() === 'ASC' ? 'oldest first' : 'newest first',
    `${inpage} a page`,
    ...(page > 1 ? [`page ${page}`] : []),
    ...(after === undefined ? [] : ['after a cursor']),
    ...(countAll ? ['all counted'] : []),
  ].join(', ')
}

function Orders({ question }: { question: Question }) {
  const { query, change } = question
  return (
    <div className="chips">
      {(query.orderBy ?? []).map((key, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the index is the place in the order
        <OrderKey key={i} question={question} order={key} index={i} />
      ))}
      <Menu
        label="Sort by"
        button={
          <>
            <Icon name="plus" /> Sort
          </>
        }
      >
        <WalkMenu
          type={query.type ?? ''}
          takesRecords={false}
          choose={({ steps, part }) => {
            const connection = steps[0]?.connection
            const order: WireOrder =
              connection === undefined
                ? { ...(part !== undefined && { field: part }) }
                : { connection }
            change(`Sorted by ${orderWords(order)}`, addOrder(query, order))
          }}
          chooseName={(name) => {
            const order: WireOrder =
              ownerOf(name) === query.type ? { connection: name } : { field: name }
            change(`Sorted by ${orderWords(order)}`, addOrder(query, order))
          }}
        />
      </Menu>
    </div>
  )
}

function OrderKey({
  question,
  order,
  index,
}: {
  question: Question
  order: WireOrder
  index: number
}) {
  const { query, change } = question
  const words = orderWords(order)
  const set = (changes: Changes<WireOrder>) => {
    const next = Object.fromEntries(
      Object.entries({ ...order, ...changes }).filter(([, value]) => value !== undefined),
    )
    change(`Changed the order by ${words}`, setOrder(query, index, next))
  }
  return (
    <Menu label={`Sorted by ${words}`} className="chip" button={<b>{words}</b>}>
      <MemberFields object={order} entries={orderEntries} set={set} />
      <MenuItem
        run={() => change(`No longer sorted by ${words}`, setOrder(query, index, undefined))}
      >
        Remove
      </MenuItem>
    </Menu>
  )
}

const directions = [
  ['', 'ascending (default)'],
  ['ASC', 'ascending'],
  ['DESC', 'descending'],
] as const
const kinds = [
  ['', 'all values (default)'],
  ['text', 'all values'],
  ['number', 'only numbers'],
  ['time', 'only times'],
] as const

const orderEntries: readonly MemberEntry[] = [
  { member: 'connection', label: 'Connection', kind: 'text' },
  { member: 'field', label: 'Field', kind: 'text' },
  { member: 'direction', label: 'Direction', kind: { choices: directions } },
  { member: 'kind', label: 'Compare', kind: { choices: kinds } },
]
