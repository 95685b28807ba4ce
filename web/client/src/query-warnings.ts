import type { Internals } from './internals.ts'
import type { Id } from './model/id.ts'
import { withPrefix } from './model/type.ts'
import { type Logic, parseLogic } from './query/logic.ts'
import type { Filter, Query } from './query/query.ts'
import { expectList } from './wire/expect.ts'

/*
 * Warnings about queries that are valid but probably mistakes. `weft query` prints the same warnings. This module is
 * loaded only if warnings are on (`ClientOptions.onWarning`). Each query is checked once, after its first answer.
 */

/** Special fields of filters, which are not types. */
const specialFields = ['id', 'entry_timestamp', 'user_id', 'type_concept']

/** Warns about a query that the server has answered. Asks the server for the types that are not loaded. */
export async function warnAboutQuery(
  { graph, http, fetcher }: Internals,
  query: Query,
  isEmpty: boolean,
  warn: (message: string) => void,
): Promise<void> {
  const { names: mentioned, filters } = namesOfLogic(query)
  for (const name of mentioned)
    if (!filters.has(name)) warn(`the logic names "${name}", but there is no such filter`)
  for (const name of filters)
    if (!mentioned.has(name)) warn(`filter "${name}" has no effect: the logic does not name it`)
  const names = typesNamedIn(query)
  const unknown = [...names]
    .flatMap((name) => [name, withPrefix(name)])
    .filter((name) => graph.type(name) === undefined)
  if (unknown.length > 0) {
    const path = '/api/get_type_concept_by_character_bulk'
    const ids = expectList(await http.post(path, [...new Set(unknown)])) as Id[]
    await (await fetcher()).fetchConcepts(ids)
  }
  for (const name of names) {
    const prefixed = withPrefix(name)
    const isPrefixKnown = prefixed !== name && graph.type(prefixed) !== undefined
    if (isEmpty && isPrefixKnown) warn(`the query names ${name}; did you mean ${prefixed}?`)
    else if (graph.type(name) === undefined) warn(`the query names ${name}, an unknown type`)
  }
}

/** Returns the filters that a logic names, and the filters that the query has. */
function namesOfLogic({ logic = '', filters = [] }: Query) {
  const names = new Set<string>()
  const collect = (expression: Logic | undefined) => {
    if (expression?.op === 'leaf') names.add(expression.filter)
    else for (const operand of expression?.of ?? []) collect(operand)
  }
  collect(parseLogic(logic))
  return { names, filters: new Set(filters.map((filter) => filter.name)) }
}

/** Returns the names of types in a query and its hops, each once. */
function typesNamedIn(query: Query): Set<string> {
  const { type, conceptIds = [], connection, legacy, selectors = [] } = query
  const { hops = [], filters = [] } = query
  const names = [
    ...selectors,
    conceptIds.length === 0 ? type : undefined,
    legacy ? undefined : connection,
    ...hops.flatMap((hop) => [...typesNamedIn(hop)]),
    ...filters.map(typeOfFilter),
  ]
  return new Set(names.filter((name): name is string => !!name && name !== 'self'))
}

function typeOfFilter({ type, op, search }: Filter): string | undefined {
  if (type === 'type_concept' && op !== 'exists')
    return typeof search === 'string' && !/^-?\d+$/.test(search) ? search : undefined
  return type && specialFields.includes(type) ? undefined : type
}
