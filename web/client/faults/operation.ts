import type { FieldsInput } from '../src/composition/value.ts'
import type { Id } from '../src/model/id.ts'

/** An operation that a tab carries out. `write` is the number by which the model identifies the write in the trial. */
export type Operation =
  | { readonly do: 'create'; readonly write: number; readonly fields: FieldsInput }
  | {
      readonly do: 'update'
      readonly write: number
      readonly id: Id
      /** For `at`, the value is the field `x` of a nested record. */
      readonly field: Field
      readonly value: string
    }
  | { readonly do: 'remove'; readonly write: number; readonly id: Id }
  | { readonly do: 'link'; readonly write: number; readonly id: Id; readonly to: Id }
  /**
   * Creates two records in one transaction, updates the text of the second, and links the first to the second: four
   * writes with the numbers from `write` on.
   */
  | {
      readonly do: 'transact'
      readonly write: number
      readonly records: readonly [FieldsInput, FieldsInput]
      readonly value: string
      /** `leave` keeps the transaction open until an `end`. */
      readonly end: 'commit' | 'rollback' | 'leave'
    }
  /** Commits or rolls back the open transaction whose first write has the number `write`. */
  | { readonly do: 'end'; readonly write: number; readonly commit: boolean }
  /** Discards a failed write, if there is one. */
  | { readonly do: 'discard' }
  /** Retries all failed writes. */
  | { readonly do: 'retry' }
  /** Loads a record, from the server if the tab does not have it. */
  | { readonly do: 'load'; readonly id: Id }
  | { readonly do: 'refresh' }

export type Field = 'text' | 'at'

/** The type of all records of a trial, and of their links. */
export const type = 'the_note'
export const linkType = 'the_note_s_next'

/** A report of a tab about its writes. Reports arrive in order. */
export type Report =
  /** A write was made. `saw` is the value of the field that the tab showed before the write. */
  | {
      readonly event: 'made'
      readonly write: number
      readonly key: string
      readonly id: Id
      readonly saw?: string | undefined
    }
  /** The promises of a write: `saved` resolved or rejected, or `settled` rejected. */
  | { readonly event: 'saved' | 'unsaved' | 'dropped'; readonly write: number }
  /** A transaction is open, and all of its writes are saved. */
  | { readonly event: 'open'; readonly write: number }
  | { readonly event: 'synced'; readonly write: number; readonly id: Id }
  /** The writes with these keys are about to be discarded, or have disappeared from the list of pending writes. */
  | { readonly event: 'discarding' | 'discarded'; readonly keys: readonly string[] }
