import { addFilter, addHop, addSelector } from './edit.ts'
import { type NodePath, nodesOf } from './nodes.ts'
import type { WireQuery } from './wire.ts'

/** A type with its names in words. */
export interface NamedType {
  readonly name: string
  readonly names: { readonly one: string; readonly many: string }
}

/** A field or link of a type with its name in words. */
export interface NamedPart {
  /** The name in words: "Status". */
  readonly words: string
  /** The connection; undefined for a part of the record. */
  readonly connection: string | undefined
  /** The type of a part of the record. */
  readonly part: string | undefined
}

/** The reading of a sentence. */
export type Reading =
  | { readonly status: 'understood'; readonly query: WireQuery }
  /** `reason` is a sentence for the user. */
  | { readonly status: 'refused'; readonly reason: string }

/**
 * Converts a sentence of a small grammar to a query, without a language model. Refuses every sentence that
 * contains a word outside the grammar.
 *
 *   [how many | count | find | show | list | which | all] TYPE
 *     { (where | with | whose | and) PART (is | = | contains | over | under | since | before …) VALUE }
 *     [ without PART ]
 *     [ (by | per) LINK ]
 */
export function readSentence(
  sentence: string,
  types: readonly NamedType[],
  partsOf: (type: string) => readonly NamedPart[],
): Reading {
  const words = sentence.trim().replace(/[?.!]+$/, '')
  const start =
    /^(?:(how many|count|number of|find|show|list|which|all|the)\s+)*/i.exec(words)?.[0] ?? ''
  const counts = /how many|count|number of/i.test(start)
  const found = longestType(words.slice(start.length), types)
  if (!found) return refuse('The sentence does not contain the name of a type.')
  let query: WireQuery = { type: found.type.name, inpage: 50 }
  query = addSelector(query, [], 'self')
  const parts = partsOf(found.type.name).toSorted((a, b) => b.words.length - a.words.length)
  for (const part of parts)
    if (part.connection !== undefined) query = addSelector(query, [], part.connection)
  let rest = found.rest
  while (rest !== '') {
    const clause = readClause(rest, query, parts)
    if (typeof clause === 'string') return refuse(clause)
    query = clause.query
    rest = clause.rest
  }
  const isGrouped = nodesOf(query).some(({ node }) => node.aggregate === 'group')
  return { status: 'understood', query: counts && !isGrouped ? { ...query, inpage: 10 } : query }
}

const refuse = (reason: string): Reading => ({ status: 'refused', reason })

function longestType(text: string, types: readonly NamedType[]) {
  const names = types
    .flatMap((type) => [type.names.many, type.names.one].map((name) => ({ type, name })))
    .toSorted((a, b) => b.name.length - a.name.length)
  for (const { type, name } of names) {
    const rest = textAfter(text, name)
    if (rest !== undefined)
      return { type, rest: rest.replace(/^(?:are there|do we have|exist)\b\s*/i, '') }
  }
  return undefined
}

/** Returns the rest of `text` after `words`; undefined if `text` does not start with `words`. */
function textAfter(text: string, words: string): string | undefined {
  const isStart = text.toLowerCase().startsWith(words.toLowerCase())
  const next = text.charAt(words.length)
  return isStart && (next === '' || /[\s,]/.test(next))
    ? text.slice(words.length).replace(/^[\s,]+/, '')
    : undefined
}

const comparisons: readonly (readonly [pattern: RegExp, op: string])[] = [
  [/^(?:is not|isn't|!=)\s+/i, '!='],
  [/^(?:contains|like)\s+/i, 'like'],
  [/^(?:is )?(?:at least|from|since|>=)\s+/i, '>='],
  [/^(?:is )?(?:at most|until|<=)\s+/i, '<='],
  [/^(?:is )?(?:over|above|more than|greater than|after|>)\s+/i, '>'],
  [/^(?:is )?(?:under|below|less than|before|<)\s+/i, '<'],
  [/^(?:is|are|equals|=)\s+/i, '='],
]

interface Clause {
  readonly query: WireQuery
  readonly rest: string
}

/** Reads one clause. Returns a string, the reason, if the clause is not understood. */
function readClause(text: string, query: WireQuery, parts: readonly NamedPart[]): Clause | string {
  const without = /^without\s+(?:an?\s+|any\s+)?/i.exec(text)
  const by = /^(?:counted\s+)?(?:by|per)\s+/i.exec(text)
  const where = /^(?:(?:where|with|whose|that have|and|the)\s+)+/i.exec(text)
  const opening = without ?? by ?? where
  const inner = text.slice(opening?.[0].length ?? 0)
  const part = parts.find(({ words }) => textAfter(inner, words) !== undefined)
  if (!opening || !part) return `“${text}” was not understood.`
  const rest = textAfter(inner, part.words) ?? ''
  if (by && part.connection === undefined)
    return `Records are counted by links, and “${part.words}” is a field.`
  if (by)
    return { query: addHop(query, [], { ...hopTo(part), aggregate: 'group', inpage: 50 }), rest }
  const hop = addHop(query, [], hopTo(part))
  const place = [(hop.freeschemaQueries?.length ?? 1) - 1]
  return without
    ? { query: addAbsence(hop, place, part), rest }
    : readComparison(rest, hop, place, part)
}

/** Adds a condition to the hop at `place`: the part does not exist. */
function addAbsence(query: WireQuery, place: NodePath, part: NamedPart): WireQuery {
  const added = addFilter(query, place, { ...typeOf(part), logicoperator: 'exists' })
  const name = added.filters?.at(-1)?.name ?? ''
  const logic = added.filterLogic ?? ''
  return { ...added, filterLogic: logic.replace(new RegExp(`${name}$`), `NOT ${name}`) }
}

/** Reads a comparison with a value, such as "is open", up to the next clause. */
function readComparison(
  text: string,
  query: WireQuery,
  place: NodePath,
  part: NamedPart,
): Clause | string {
  const comparison = comparisons.find(([pattern]) => pattern.test(text))
  if (!comparison) return `“${text || part.words}” has no comparison, such as “is”.`
  const [pattern, op] = comparison
  const operand = text.replace(pattern, '')
  const end = operand.search(/\s+(?:and\s+(?:the\s+)?|without\s+|by\s+|per\s+)(?=\S)/i)
  const value = (end < 0 ? operand : operand.slice(0, end)).replace(/^["“']|["”']$/g, '').trim()
  if (value === '') return `“${part.words}” has no value.`
  return {
    query: addFilter(query, place, { ...typeOf(part), logicoperator: op, search: value }),
    rest: end < 0 ? '' : operand.slice(end).trimStart(),
  }
}

const hopTo = ({ connection }: NamedPart): WireQuery =>
  connection === undefined
    ? { typeConnection: 'self', direct: true }
    : { typeConnection: connection }

const typeOf = ({ part }: NamedPart) => (part === undefined ? {} : { type: part })
