import type { WireFilter, WireOrder, WireQuery } from '../question/wire.ts'

/** Returns a Go program that runs a query with the SDK and prints the records. */
export function goOf(query: WireQuery, origin: string): string {
  const { outputFormat, explain, warnings, ...asked } = query
  return `package main

import (
\t"context"
\t"fmt"
\t"log"
\t"os"

\t"github.com/weft-graph/weft/client"
\t"github.com/weft-graph/weft/composition"
\t"github.com/weft-graph/weft/wire"
)

func main() {
\tctx := context.Background()
\tc := client.New(${quote(origin)})
\tc.Token = os.Getenv("WEFT_TOKEN")

\tanswer, err := c.Query(ctx, wire.Query${nodeLiteral(asked, '\t')})
\tif err != nil {
\t\tlog.Fatal(err)
\t}
\trecords, err := composition.Read(ctx, c, answer.Roots, composition.WithID)
\tif err != nil {
\t\tlog.Fatal(err)
\t}
\tfor _, record := range records {
\t\tfmt.Println(record)
\t}
}
`
}

/** The members of a query and their Go names, in the order of the output. `item` is the Go type of the items of a list. */
const fields: readonly (readonly [member: keyof WireQuery, field: string, item?: string])[] = [
  ['type', 'Type'],
  ['conceptIds', 'ConceptIDs', 'wire.Int'],
  ['typeConnection', 'TypeConnection'],
  ['isOldConnectionType', 'IsOldConnectionType'],
  ['reverse', 'Reverse'],
  ['direct', 'Direct'],
  ['name', 'Name'],
  ['selectors', 'Selectors', 'wire.Text'],
  ['order', 'Order'],
  ['page', 'Page'],
  ['inpage', 'Inpage'],
  ['limit', 'Limit'],
  ['after', 'After'],
  ['countAll', 'CountAll'],
  ['includeInFilter', 'IncludeInFilter'],
  ['filterAncestor', 'FilterAncestor'],
  ['depth', 'Depth'],
  ['aggregate', 'Aggregate'],
]

function nodeLiteral(node: WireQuery, indent: string): string {
  const inner = `${indent}\t`
  const lines = fields.flatMap(([member, field, item]) => {
    const value = node[member]
    if (value === undefined) return []
    if (Array.isArray(value)) return `${field}: []${item}{${value.map(literal).join(', ')}}`
    return `${field}: ${member === 'after' ? quote(String(value)) : literal(value)}`
  })
  lines.push(...listLiteral('OrderBy', 'wire.OrderBy', node.orderBy, orderLiteral, inner))
  lines.push(
    ...listLiteral('FreeschemaQueries', 'wire.Query', node.freeschemaQueries, nodeLiteral, inner),
  )
  lines.push(...listLiteral('Filters', 'wire.Filter', node.filters, filterLiteral, inner))
  if (node.filterLogic !== undefined) lines.push(`FilterLogic: ${quote(node.filterLogic)}`)
  return lines.length === 0
    ? '{}'
    : `{\n${lines.map((line) => `${inner}${line},\n`).join('')}${indent}}`
}

function listLiteral<T>(
  field: string,
  type: string,
  list: readonly T[] | undefined,
  itemLiteral: (item: T, indent: string) => string,
  indent: string,
): readonly string[] {
  if (!list || list.length === 0) return []
  const inner = `${indent}\t`
  const items = list.map((item) => `${inner}${itemLiteral(item, inner)},\n`)
  return [`${field}: []${type}{\n${items.join('')}${indent}}`]
}

const orderLiteral = (key: WireOrder): string =>
  memberLiteral([
    ['Field', key.field],
    ['Connection', key.connection],
    ['Direction', key.direction],
    ['Kind', key.kind],
  ])

const filterLiteral = (filter: WireFilter): string =>
  memberLiteral([
    ['Name', filter.name],
    ['OperateOn', filter.operateon],
    ['Type', filter.type],
    ['LogicOperator', filter.logicoperator],
    ['Search', filter.search === undefined ? undefined : String(filter.search)],
  ])

const memberLiteral = (members: readonly (readonly [string, string | undefined])[]): string =>
  `{${members
    .flatMap(([name, value]) => (value === undefined ? [] : `${name}: ${quote(value)}`))
    .join(', ')}}`

const literal = (value: unknown): string =>
  typeof value === 'string' ? quote(value) : JSON.stringify(value)

/** Returns a Go string literal. Escapes of JSON are also valid in Go. */
const quote = (text: string): string => JSON.stringify(text)
