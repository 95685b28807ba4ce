import { onTestFinished } from 'vitest'
import type { LiveQuery, QueryState } from '../src/index.ts'

/** A row of a query for notes. */
export interface Row {
  readonly id: number
  readonly data: { readonly the_note: { readonly text: { readonly data: { the_text: string } } } }
}

/** Returns the rows of a list of notes; empty while the list is not ready. */
export const rows = (state: QueryState<Row>): readonly Row[] =>
  state.status === 'ready' ? state.data : []
export const isComplete = (state: QueryState<Row>): boolean =>
  state.status === 'ready' && state.complete

/** Subscribes to a list until the test ends. Returns a function that reads the texts of the notes. */
export function watch(query: LiveQuery<Row>): () => string[] {
  onTestFinished(query.subscribe(() => {}))
  return () => rows(query.get()).map((row) => row.data.the_note.text.data.the_text)
}
