import { WeftError } from '../model/error.ts'
import { categoryInstance } from '../model/fixed.ts'
import type { Id } from '../model/id.ts'
import type { OrderBy, Query } from './query.ts'
import { linksOfHop } from './run.ts'
import type { Source } from './source.ts'
import { comparisonKey } from './values.ts'

/*
 * Order of roots by values. Go's twins are `graph/sortkey.go`, `query/order.go` and `query/order_cursor.go`.
 *
 * The sort key of a value is a string of bytes; '' for an empty value. Its first byte is the kind: `n` for a number,
 * `t` for a time, `x` for other text. A number or a time follows in eight bytes, other text as the first 95 bytes of
 * its folded form in UTF-8. Comparing sort keys compares the values.
 */

/**
 * The position of a root in an order: one sort key for each `OrderBy`, or '' if the root has no value of the required
 * kind.
 */
export interface Position {
  readonly id: Id
  readonly keys: readonly string[]
}

/** Computes and compares the positions of roots in a graph. Positions are computed once. */
export class RootOrder {
  readonly #graph: Source
  readonly #query: Query
  readonly #orderBy: readonly OrderBy[]
  readonly #positions = new Map<Id, Position>()

  constructor(graph: Source, query: Query) {
    this.#graph = graph
    this.#query = query
    this.#orderBy = query.orderBy ?? []
  }

  position(id: Id): Position {
    let position = this.#positions.get(id)
    if (!position) {
      const keys = this.#orderBy.map((o) => newestKey(this.#graph, o, id))
      position = { id: this.#graph.real(id), keys }
      this.#positions.set(id, position)
    }
    return position
  }

  compare(a: Position, b: Position, byAge: (a: Id, b: Id) => number): number {
    for (const [i, { direction }] of this.#orderBy.entries()) {
      const [x = '', y = ''] = [a.keys[i], b.keys[i]]
      if (x === y) continue
      if (!x || !y) return x ? -1 : 1
      return x < y === (direction === 'DESC') ? 1 : -1
    }
    return byAge(a.id, b.id)
  }

  /** Returns the cursor of the page after a root. */
  cursorAfter(id: Id): string {
    const { id: real, keys } = this.position(id)
    return [checksum(this.#query), real, ...keys.map(toBase64)].join('.')
  }

  /**
   * Returns the position of the query's cursor; undefined if the query has no cursor. Throws `invalid` for a malformed
   * cursor.
   */
  cursor(): Position | undefined {
    const { after } = this.#query
    if (!after) return undefined
    const [sum, id, ...keys] = String(after).split('.')
    if (sum !== checksum(this.#query) || keys.length !== this.#orderBy.length || !Number(id))
      throw new WeftError('invalid', `"${after}" is not the "next" of a page in this order`)
    return { id: Number(id), keys: keys.map(fromBase64) }
  }
}

/** Returns the sort key of the newest value that counts for an order. */
function newestKey(graph: Source, { field, connection, kind = 'text' }: OrderBy, id: Id): string {
  const hop = connection ? { connection } : { connection: 'self', direct: true }
  const type = field ? (graph.type(field) ?? 0) : undefined
  for (const link of linksOfHop(graph, hop, id).toReversed()) {
    const c = graph.concept(link.to)
    if (!c || c.category !== categoryInstance || (type !== undefined && c.type !== type)) continue
    const key = sortKey(c.value)
    if (key && (kind === 'text' || key.startsWith(kindLetters[kind]))) return key
  }
  return ''
}

const kindLetters = { number: 'n', time: 't' }

/** Maximum length of a sort key. */
const sortKeyBytes = 96

/** Returns the sort key of a value. */
export function sortKey(value: string): string {
  if (!value) return ''
  const key = comparisonKey(value)
  if (typeof key === 'string') {
    const bytes = new TextEncoder().encode(key.slice(0, sortKeyBytes))
    return `x${String.fromCharCode(...bytes.subarray(0, sortKeyBytes - 1))}`
  }
  const view = new DataView(new ArrayBuffer(8))
  if (typeof key === 'number') view.setFloat64(0, key + 0)
  else view.setBigInt64(0, BigInt(key.getTime()))
  const flipped = typeof key === 'number' && key < 0 ? 0xff : 0
  const bytes = new Uint8Array(view.buffer).map((byte, i) => byte ^ (flipped || (i ? 0 : 0x80)))
  return (typeof key === 'number' ? 'n' : 't') + String.fromCharCode(...bytes)
}

/** Returns the FNV-1a checksum of an order. It distinguishes cursors of different orders. */
function checksum({ orderBy = [], order = 'DESC' }: Query): string {
  const lines = orderBy.map(
    ({ connection = '', field = '', direction = 'ASC', kind = 'text' }) =>
      `${connection}\n${field}\n${direction}\n${kind}\n`,
  )
  let hash = 0x811c9dc5
  for (const byte of new TextEncoder().encode(lines.join('') + order))
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  return hash.toString(16)
}

const toBase64 = (bytes: string): string =>
  btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')

function fromBase64(text: string): string {
  try {
    return atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  } catch {
    throw new WeftError('invalid', `"${text}" is not a part of a cursor`)
  }
}

/**
 * Returns the cursor with the real id of its root. A root that the server does not have counts as newer than all
 * others.
 */
export function realCursor(cursor: string, real: (id: Id) => Id): string {
  const [sum = '', id, ...keys] = cursor.split('.')
  const known = real(Number(id))
  return [sum, known > 0 ? known : Number.MAX_SAFE_INTEGER, ...keys].join('.')
}
