import { type MemberEntry, MemberFields } from './member-field.tsx'
import { type NodePath, nodeAt, setMembers } from './question/nodes.ts'
import { connectionName } from './question/words.ts'
import type { Question } from './use-question.ts'

/** The settings of a hop. */
export function HopOptions({ question, path }: { question: Question; path: NodePath }) {
  const { query, change } = question
  const node = nodeAt(query, path)
  return (
    <MemberFields
      object={node}
      entries={hopEntries}
      set={(changes) => change(`Changed ${connectionName(node)}`, setMembers(query, path, changes))}
    />
  )
}

/** The choices for ordering records by age. */
export const orders = [
  ['', 'newest first (default)'],
  ['DESC', 'newest first'],
  ['ASC', 'oldest first'],
] as const

const aggregates = [
  ['', 'show the records'],
  ['count', 'their number, in each record'],
  ['group', 'each value and its number, in all records'],
  ['distinct', 'the number of different values, in all records'],
] as const

const hopEntries: readonly MemberEntry[] = [
  { member: 'typeConnection', label: 'Connection', kind: 'text' },
  { member: 'reverse', label: 'In the opposite direction', kind: 'flag' },
  { member: 'direct', label: 'Only parts of the record itself', kind: 'flag' },
  { member: 'includeInFilter', label: 'Show all of them, not only those that match', kind: 'flag' },
  { member: 'limit', label: 'In pages', kind: 'flag' },
  {
    member: 'isOldConnectionType',
    label: 'The connection is named by a value of the_connection',
    kind: 'flag',
  },
  { member: 'inpage', label: 'Records per page', kind: 'number' },
  { member: 'page', label: 'Page', kind: 'number' },
  { member: 'depth', label: 'Follow repeatedly, up to (times)', kind: 'number' },
  { member: 'order', label: 'Order', kind: { choices: orders } },
  { member: 'aggregate', label: 'Instead of records', kind: { choices: aggregates } },
  { member: 'name', label: 'Name', kind: 'text' },
  { member: 'filterAncestor', label: 'Same record as in', kind: 'text' },
]
