import type { Client, ClientOptions } from '../api.ts'
import { internalsOf } from '../internals.ts'
import { asWeftError, WeftError } from '../model/error.ts'
import { begin } from '../transaction/transaction.ts'
import { Warnings } from '../warnings.ts'
import { lazyLoad } from '../wire/lazy.ts'
import { ignoreError } from '../wire/retry.ts'
import type { AggregateInput } from './aggregate.ts'
import type { SchemaData } from './fields.ts'
import type { FindContext, FindInput } from './find-parts.ts'
import { LazyQuery } from './lazy-query.ts'
import { SchemaModel } from './model.ts'
import { RecordWriter } from './writer.ts'

/** The largest number of query objects that are kept for reuse. */
const maxQueries = 500

/** Returns a client with the typed methods of a schema. It inherits all other methods from `client`. */
export function extendClient(data: SchemaData, client: Client, options: ClientOptions): object {
  const schema = new SchemaModel(data)
  const context: FindContext = {
    schema,
    internals: internalsOf(client),
    warn: new Warnings(options.onWarning).warn,
  }
  const queries = new QueryCache()
  const loadCode = lazyLoad(() => import('./queries.ts'))
  const load = async () => {
    const code = await loadCode()
    code.checkSchema(data)
    return code
  }
  load().catch((error) => context.warn(asWeftError(error).message))
  return Object.assign(Object.create(client), {
    raw: client,
    ...writingMethods(new RecordWriter(schema, client, context.warn)),
    find: (type: string, options: FindInput = {}) =>
      queries.get(
        `${type} ${keyOf(options)}`,
        () => new LazyQuery(load, (code) => code.createFindQuery(context, type, options)),
      ),
    aggregate: (type: string, options: AggregateInput) =>
      queries.get(
        `${type} aggregate ${keyOf(options)}`,
        () => new LazyQuery(load, (code) => code.createAggregateQuery(context, type, options)),
      ),
    id(type: string, value: number | string) {
      schema.type(type)
      const id = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value
      if (Number.isSafeInteger(id) && id !== 0) return id
      throw new WeftError('invalid', `${JSON.stringify(value)} is not an id`)
    },
    transaction(run: (tx: object) => unknown) {
      const transaction = begin(client)
      const result = transaction.run((writer) =>
        run(writingMethods(new RecordWriter(schema, writer, context.warn))),
      )
      const synced = transaction.commit().then(async (write) => void (await write.synced))
      synced.catch(ignoreError)
      return { result, synced }
    },
  })
}

const writingMethods = (writer: RecordWriter) => ({
  create: writer.create.bind(writer),
  update: writer.update.bind(writer),
  upsert: writer.upsert.bind(writer),
  increment: writer.increment.bind(writer),
  remove: writer.remove.bind(writer),
  setLink: writer.setLink.bind(writer),
  addLink: writer.addLink.bind(writer),
  removeLink: writer.removeLink.bind(writer),
})

/**
 * Returns the options of a query as a string. An undefined member differs from a missing member, because `where`
 * refuses undefined.
 */
const keyOf = (options: object): string =>
  JSON.stringify(options, (_, value) => (value === undefined ? '\0' : value))

/** Caches query objects, so that equal options give the same object. Only objects without subscribers are evicted. */
class QueryCache {
  readonly #queries = new Map<string, LazyQuery>()

  get(key: string, create: () => LazyQuery): LazyQuery {
    let query = this.#queries.get(key)
    if (!query) {
      query = create()
      this.#queries.set(key, query)
      if (this.#queries.size > maxQueries) this.#evict()
    }
    return query
  }

  #evict(): void {
    for (const [key, query] of this.#queries) {
      if (this.#queries.size <= maxQueries / 2) return
      if (!query.hasListeners) this.#queries.delete(key)
    }
  }
}
