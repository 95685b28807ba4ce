import { clientQuery } from '../question/client-query.ts'
import type { WireQuery } from '../question/wire.ts'
import { type DeclaredTypes, findOptions } from './find.ts'

/**
 * Returns a TypeScript module that runs a query. The module calls `find` of a typed client if the schema declares the type and
 * `find` can express the whole query. Otherwise it calls `query`.
 */
export function typeScriptOf(query: WireQuery, origin: string, declared: DeclaredTypes): string {
  const typed = findOptions(query, declared)
  return typed ? findModule(typed, origin) : queryModule(query, origin)
}

function findModule(
  { type, options }: { readonly type: string; readonly options: object },
  origin: string,
): string {
  const call = Object.keys(options).length === 0 ? '' : `, ${expression(options, '')}`
  return `${importOf('createClient', '@weft/client')}
${importOf('schema', './schema.ts')} // Schema > Generated types

const weft = createClient({ url: ${quote(origin)}, schema })
const found = weft.find(${quote(type)}${call})
const { data } = await found.once()
console.log(data)
`
}

function queryModule(query: WireQuery, origin: string): string {
  return `${importOf('createClient', '@weft/client')}

const weft = createClient({ url: ${quote(origin)} })
const found = weft.query(${expression(clientQuery(query), '')}, { format: 'NORMAL' })
const stop = found.subscribe(() => {
  const state = found.get()
  if (state.status === 'ready') console.log(state.data, state.total)
})
// stop() ends the live query
`
}

const importOf = (name: string, module: string): string =>
  `import { ${name} } from ${quote(module)}`

const lineWidth = 80

/** Returns a value as an expression, over several lines if it is long. */
function expression(value: unknown, indent: string): string {
  const line = inLine(value)
  if (typeof value !== 'object' || value === null || indent.length + line.length <= lineWidth)
    return line
  const inner = `${indent}  `
  const parts = Array.isArray(value)
    ? value.map((item) => `${inner}${expression(item, inner)},\n`)
    : Object.entries(value).map(
        ([name, member]) => `${inner}${key(name)}: ${expression(member, inner)},\n`,
      )
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return `${open}\n${parts.join('')}${indent}${close}`
}

function inLine(value: unknown): string {
  if (typeof value === 'string') return quote(value)
  if (Array.isArray(value)) return `[${value.map(inLine).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const members = Object.entries(value).map(([name, member]) => `${key(name)}: ${inLine(member)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

const key = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name))

/** Returns a string literal, in single quotes if the text needs no escapes. */
function quote(text: string): string {
  const literal = JSON.stringify(text)
  return literal.length === text.length + 2 && !text.includes("'") ? `'${text}'` : literal
}
