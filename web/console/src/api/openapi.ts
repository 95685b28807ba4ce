/** The parts of an OpenAPI document that the room reads. */
export interface OpenApi {
  readonly tags: readonly { readonly name: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, PathOperation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

interface PathOperation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: {
    readonly content: Readonly<
      Record<string, { readonly schema: Schema; readonly example?: unknown }>
    >
  }
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, unknown>> }>
  >
}

/** A parameter of an operation. */
interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly schema?: Schema
}

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly required?: readonly string[]
  readonly default?: unknown
}

/** An operation of the API. */
export interface Operation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly area: string
  readonly summary: string
  readonly parameters: readonly Parameter[]
  /** The JSON that the form shows at first; undefined if the operation has no body. */
  readonly body: string | undefined
  /** The reason why the room cannot send the request; undefined if it can. */
  readonly refusal: string | undefined
}

/** Returns the operations that a user may call, in the order of the document. */
export function operationsOf(document: OpenApi, isAdmin: boolean): readonly Operation[] {
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      readOperation(document, path, method, operation),
    ),
  )
  return all.filter((one) => isOffered(one, isAdmin))
}

/** The route that works only while the server has no admin. */
const setupPath = '/api/auth/setup'

const isOffered = ({ path, summary }: Operation, isAdmin: boolean): boolean =>
  path !== setupPath && (isAdmin || !(path.startsWith('/api/admin/') || forAdmins.test(summary)))

/** Matches the summaries of routes that refuse all users but admins. */
const forAdmins = /for admins\b|only admins\b|an admin can add|of the caller, an admin/i

function readOperation(
  document: OpenApi,
  path: string,
  method: string,
  { operationId, tags, summary, parameters = [], requestBody, responses }: PathOperation,
): Operation {
  const content = requestBody?.content ?? {}
  const json = content['application/json']
  return {
    id: operationId,
    method: method.toUpperCase(),
    path,
    area: tags[0] ?? '',
    summary,
    parameters,
    body: json && JSON.stringify(json.example ?? exampleOf(document, json.schema), null, 2),
    refusal: refusalOf(Object.keys(content), Object.keys(responses['200']?.content ?? {})),
  }
}

function refusalOf(sent: readonly string[], received: readonly string[]): string | undefined {
  if (sent.length > 0 && !sent.includes('application/json'))
    return 'The request has files. Send it with curl or from a program.'
  if (received.includes('text/event-stream'))
    return 'The response is a stream that does not end. Read it with curl or from a program.'
  return undefined
}

/** The number of levels of nested objects in an example. Deeper objects are empty. */
const maxDepth = 3

/** Returns an example value for a schema: its default, or an empty value of its type. */
function exampleOf(document: OpenApi, schema: Schema | undefined, depth = 0): unknown {
  if (!schema) return null
  const name = schema.$ref?.split('/').at(-1)
  if (name !== undefined) return exampleOf(document, document.components.schemas[name], depth)
  if (schema.default !== undefined) return schema.default
  if (schema.properties) return depth < maxDepth ? exampleObject(document, schema, depth) : {}
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.[0]
  if (type === 'array') return []
  if (type === 'integer' || type === 'number') return 0
  if (type === 'boolean') return false
  return type === 'string' ? '' : {}
}

/** Returns an object with the required members, or with all members if none is required. */
function exampleObject(document: OpenApi, schema: Schema, depth: number): unknown {
  const required = schema.required ?? []
  const members = Object.entries(schema.properties ?? {}).filter(
    ([name]) => required.length === 0 || required.includes(name),
  )
  return Object.fromEntries(
    members.map(([name, member]) => [name, exampleOf(document, member, depth + 1)]),
  )
}

/** The path of a request, or the name of a required parameter that has no value. */
export type Address = { readonly path: string } | { readonly missing: string }

/** Returns the path of a request with the values of its parameters. */
export function addressOf(
  { path, parameters }: Operation,
  values: Readonly<Record<string, string>>,
): Address {
  const query = new URLSearchParams()
  let filled = path
  for (const { name, in: place, required } of parameters) {
    const value = values[name] ?? ''
    if (value === '' && required) return { missing: name }
    if (place === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(value))
    else if (place === 'query' && value !== '') query.set(name, value)
  }
  const text = query.toString()
  return { path: filled + (text && `?${text}`) }
}

/** Returns the command that sends a request, for a POSIX shell. */
export function curlOf(method: string, url: string, body: string | undefined): string {
  const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
  const parts = [`curl -s -X ${method} ${quote(url)}`, '-H "Authorization: Bearer $WEFT_TOKEN"']
  if (body !== undefined) parts.push("-H 'Content-Type: application/json'", `-d ${quote(body)}`)
  return parts.join(' \\\n  ')
}
