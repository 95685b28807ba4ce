import { onTestFinished } from 'vitest'
import type { LiveQuery, QueryState } from '../src/index.ts'

/** A note, as a query has it. */
export interface Row {
  readonly id: number
  readonly data: { readonly the_note: { readonly text: { readonly data: { the_text: string } } } }
}

/** The rows of a list of notes that has any. */
export const rows = (state: QueryState<Row>): readonly Row[] =>
  state.status === 'ready' ? state.data : []
export const complete = (state: QueryState<Row>): boolean =>
  state.status === 'ready' && state.complete

/** Listens until the test ends; returns what reads the texts. */
export function watch(query: LiveQuery<Row>): () => string[] {
  onTestFinished(query.subscribe(() => {}))
  return () => rows(query.get()).map((row) => row.data.the_note.text.data.the_text)
}
