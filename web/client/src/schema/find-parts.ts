import type { Internals } from '../internals.ts'
import type { RowFormat } from '../live/engine.ts'
import type { Query } from '../query/query.ts'
import type { SchemaModel } from './model.ts'
import type { Row, RowOptions } from './rows.ts'
import type { Cursor } from './types.ts'
import type { CompiledWhere } from './where.ts'

/* Types that the files of `client.find` and `client.aggregate` share. */

export interface FindInput extends RowOptions {
  readonly after?: string | null
  readonly search?: string
}

/** A page of rows, as the format of the live query returns it. */
export interface RowPage {
  readonly rows: readonly Row[]
  readonly next: Cursor | null
}

/** The parts of a client that typed queries use. */
export interface FindContext {
  readonly schema: SchemaModel
  readonly internals: Internals
  warn(message: string): void
}

/** The largest page that the server returns. */
export const maxLimit = 9_999

/** A compiled query. */
export interface CompiledFind {
  readonly where: CompiledWhere
  /** Returns the query for a number of rows. */
  query(limit: number): Query
  /** Returns the format that converts the answer to `query(limit)` to a `RowPage`. */
  format(limit: number): RowFormat
}
