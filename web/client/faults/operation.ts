import type { FieldsInput } from '../src/composition/value.ts'
import type { Id } from '../src/graph/id.ts'

/** What a tab is asked to do. Writes have a number, by which the model knows them. */
export type Operation =
  | { readonly do: 'create'; readonly write: number; readonly fields: FieldsInput }
  | {
      readonly do: 'update'
      readonly write: number
      readonly id: Id
      /** `at` holds its value in a record of its own, as `x`. */
      readonly field: Field
      readonly value: string
    }
  | { readonly do: 'remove'; readonly write: number; readonly id: Id }
  | { readonly do: 'link'; readonly write: number; readonly id: Id; readonly to: Id }
  /**
   * Makes two records, gives the second another text and links the first to it: four writes, with numbers from write
   * on, whole or not at all.
   */
  | {
      readonly do: 'transact'
      readonly write: number
      readonly records: readonly [FieldsInput, FieldsInput]
      readonly value: string
      /** `leave` neither commits nor takes back, until somebody ends it. */
      readonly end: 'commit' | 'rollback' | 'leave'
    }
  /** Commits or takes back a transaction that was left. */
  | { readonly do: 'end'; readonly write: number; readonly commit: boolean }
  /** Forgets a write that failed, if there is one. */
  | { readonly do: 'discard' }
  /** Presses the button that sends everything again. */
  | { readonly do: 'retry' }
  /** Reads a record, from the server if it is not here. */
  | { readonly do: 'load'; readonly id: Id }
  | { readonly do: 'refresh' }

export type Field = 'text' | 'at'

/** The type of all that is written in a trial, and of how records are linked. */
export const type = 'the_note'
export const linkType = 'the_note_s_next'

/** What a tab says of what it did, in order. */
export type Told =
  /** Saw is the field's value that the tab showed before. */
  | {
      readonly told: 'made'
      readonly write: number
      readonly key: string
      readonly id: Id
      readonly saw?: string | undefined
    }
  | { readonly told: 'saved' | 'unsaved' | 'dropped'; readonly write: number }
  /** A transaction is left as it is, and saved. */
  | { readonly told: 'open'; readonly write: number }
  | { readonly told: 'synced'; readonly write: number; readonly id: Id }
  /** By the keys of writes: they are about to be forgotten, or are. */
  | { readonly told: 'discarded' | 'forgotten'; readonly keys: readonly string[] }
