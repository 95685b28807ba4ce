import { namesOf } from '../../model/names.ts'
import { nodesOf } from './nodes.ts'
import { logicOf, writeLogic } from './where.ts'
import type { WireQuery } from './wire.ts'
import { conditionWords, connectionName, pathName } from './words.ts'

/** Returns a question as a short sentence, for lists: "Orders where Status is open, counted by City". */
export function sentenceOf(query: WireQuery): string {
  const subject = query.conceptIds?.length
    ? `${query.conceptIds.length} chosen records`
    : query.type
      ? namesOf(query.type).many
      : 'Nothing yet'
  const conditions = conditionSentence(query)
  const grouped = nodesOf(query)
    .filter(({ node }) => node.aggregate?.toLowerCase() === 'group')
    .map(({ path, node }) => pathName(query, path) || connectionName(node))
  return [
    subject + (conditions === '' ? '' : ` where ${conditions}`),
    ...(grouped.length > 0 ? [`counted by ${grouped.join(' and ')}`] : []),
  ].join(', ')
}

function conditionSentence(query: WireQuery): string {
  const logic = logicOf(query)
  if (logic.status === 'broken') return logic.text
  if (!logic.tree) return ''
  const words = new Map(
    (query.filters ?? []).map((filter) => [filter.name ?? '', conditionWords(query, filter)]),
  )
  return writeLogic(logic.tree)
    .split(/([\s()]+)/)
    .map((part) => words.get(part) ?? operatorWords[part] ?? part)
    .join('')
}

const operatorWords: Readonly<Record<string, string>> = {
  AND: 'and',
  OR: 'or',
  NOT: 'not',
  EXAND: 'and, of the same,',
}
