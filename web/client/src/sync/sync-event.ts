import type { Mutation, Receipt } from '../model/mutation.ts'

/** The fields of a pending write that may change after it was made. */
export type WriteChange = Partial<Pick<Mutation, 'failed' | 'held' | 'batch' | 'user'>>

/**
 * A message about the outbox from one tab, or the service worker, to the other tabs. Tabs that run different versions
 * of an application share the channel, so the field names are a wire format.
 */
export type SyncEvent =
  /** New writes. Published by the tab that made them, once they are on disk or could not be saved. */
  | {
      readonly kind: 'added'
      readonly mutations: readonly Mutation[]
      /** Keys of the writes that could not be saved and exist only in the memory of tabs. */
      readonly afloat?: readonly string[]
    }
  /** The server accepted writes. Published by the leader or the service worker. */
  | {
      readonly kind: 'settled'
      readonly keys: readonly string[]
      readonly receipt: Receipt
      /** The user who may see the records of the receipt; undefined for a guest. Other users must not see them. */
      readonly user: string | undefined
    }
  /** Fields of writes changed: a refusal, a retry, a commit, or a guest's write adopted by a user. */
  | { readonly kind: 'marked'; readonly keys: readonly string[]; readonly mark: WriteChange }
  /** The server now serves the store of this identity. */
  | { readonly kind: 'store'; readonly store: string }
  /** Asks the leader to discard a write. */
  | { readonly kind: 'discard'; readonly key: string }
  /** Writes were discarded. */
  | { readonly kind: 'discarded'; readonly keys: readonly string[] }
  /**
   * The keys of all saved writes of the publishing tab. Published when a tab opens or becomes the leader. A difference
   * to the keys of another tab reveals a missed event.
   */
  | { readonly kind: 'left'; readonly keys: readonly string[] }
