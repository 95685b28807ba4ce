import { type EditorFault, JsonEditor } from '@weft/code'
import { type JsonPlace, jsonCompletion, type Suggestion } from '@weft/code/completion'
import { useEffect, useMemo, useRef } from 'react'
import { type Finding, useFound } from '../model/found.ts'
import { type ConsoleType, useTypes } from '../model/types.ts'
import { typeOfNode, typesOfNodes } from './node-types.ts'
import { filterMembers, nodeMembers, orderMembers, type WireQuery } from './question/wire.ts'
import { operators, specialTypes } from './question/words.ts'

interface QueryEditorProps {
  readonly text: string
  readonly fault: EditorFault | undefined
  readonly onChange: (text: string) => void
  readonly onRun: () => void
  readonly query: WireQuery
}

/** An editor for the JSON of a question, with completion of members, types, connections and names. */
export function QueryEditor({ query, ...props }: QueryEditorProps) {
  const { types } = useTypes()
  const known = useFound(noTypes)
  const find = useFound(typesOfNodes(query, known))
  const latest = useRef<Completions>({ query, types, find })
  useEffect(() => {
    latest.current = { query, types, find }
  })
  const completion = useMemo(() => jsonCompletion((place) => suggest(place, latest.current)), [])
  return (
    <JsonEditor {...props} className="query-editor" label="Question, as JSON" more={completion} />
  )
}

const noTypes: readonly string[] = []

interface Completions {
  readonly query: WireQuery
  readonly types: readonly ConsoleType[]
  readonly find: (type: string) => Finding
}

/** Returns the completions for a place in the JSON. */
function suggest({ path, isName }: JsonPlace, known: Completions): readonly Suggestion[] {
  const inFilter = path.includes('filters')
  const inOrder = path.includes('orderBy')
  if (isName) {
    const members = inFilter ? filterMembers : inOrder ? orderMembers : nodeMembers
    return Object.keys(members).map((text) => ({ text }))
  }
  const member = path.findLast((part) => !/^\d+$/.test(part)) ?? ''
  switch (member) {
    case 'type':
      return inFilter ? valueTypes(known) : recordTypes(known)
    case 'typeConnection':
    case 'selectors':
    case 'connection':
      return connections(path, known)
    case 'operateon':
    case 'filterAncestor':
      return nodeNames(known.query).map((text) => ({ text }))
    case 'logicoperator':
      return operators.map(({ op, words }) => ({ text: op, detail: words }))
    case 'field':
      return fieldsOf(known.query.type ?? '', known).map((text) => ({ text }))
    default:
      return (enumerations[member] ?? []).map((text) => ({ text }))
  }
}

const enumerations: Readonly<Record<string, readonly string[]>> = {
  order: ['ASC', 'DESC'],
  direction: ['ASC', 'DESC'],
  kind: ['text', 'number', 'time'],
  aggregate: ['count', 'group', 'distinct'],
}

const recordTypes = ({ types }: Completions): readonly Suggestion[] =>
  types
    .filter(({ kind }) => kind === 'record')
    .map(({ name, names }) => ({ text: name, detail: names.many }))

const valueTypes = (known: Completions): readonly Suggestion[] => [
  ...Object.entries(specialTypes).map(([text, detail]) => ({ text, detail })),
  ...known.types.map(({ name, names }) => ({ text: name, detail: names.one })),
  ...fieldsOf(known.query.type ?? '', known).map((text) => ({ text })),
]

function fieldsOf(type: string, { find }: Completions): readonly string[] {
  const finding = type === '' ? undefined : find(type)
  return finding?.status === 'ready' ? finding.found.fields.map(({ name }) => `the_${name}`) : []
}

/** Returns the connections of the type that a node starts from. */
function connections(path: readonly string[], known: Completions): readonly Suggestion[] {
  const indexes = path
    .filter((part, i) => path[i - 1] === 'freeschemaQueries' && /^\d+$/.test(part))
    .map(Number)
  const isHop = path.at(-1) === 'typeConnection'
  const start = isHop ? indexes.slice(0, -1) : indexes
  const type = typeAt(start, known)
  const finding = type === '' ? undefined : known.find(type)
  const links = finding?.status === 'ready' ? finding.found.links : []
  return [
    { text: 'self', detail: 'parts of the record' },
    ...links.map(({ connection, reverse, types }) => ({
      text: connection,
      detail: `${reverse ? 'of' : 'to'} ${types[0] ?? ''}`,
    })),
  ]
}

function typeAt(path: readonly number[], { query, find }: Completions): string {
  try {
    return typeOfNode(query, path, find)
  } catch {
    return '' // the hop is being written
  }
}

function nodeNames(query: WireQuery): readonly string[] {
  return [
    ...(query.name === undefined ? [] : [query.name]),
    ...(query.freeschemaQueries ?? []).flatMap(nodeNames),
  ]
}
