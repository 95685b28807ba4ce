import { errorText } from './error-text.ts'

/** A change that can be undone. */
export interface UndoableChange {
  /** A description of the change, in the past tense: "Status set to sent in 6 orders". */
  readonly label: string
  /** Reverts the change. May return a promise; a rejection removes the change from the list. */
  readonly undo: () => unknown
  /** Makes the change again. */
  readonly redo: () => unknown
}

/** The state that the status line and the list of changes show. */
export interface UndoState {
  /** Changes that can be undone, oldest first. */
  readonly done: readonly UndoableChange[]
  /** Changes that were undone and can be redone; the last one is next. */
  readonly undone: readonly UndoableChange[]
  readonly status: 'idle' | 'working'
}

/*
 * The changes in this tab, in one list for all rooms.
 *
 *   push ──▶ done ──undo──▶ undone ──redo──▶ done
 *                 └─failed─▶ removed        └─failed─▶ removed
 *
 * A change is pushed after it has succeeded, so a failed action is never on the list. A change that cannot be undone is removed
 * and reported.
 *
 * A change may be visible before it is pushed. Undo and redo therefore wait until the changes in progress have ended, and run
 * one after the other. So an early Ctrl+Z reverts the last visible change, and no Ctrl+Z is ignored.
 */
export class UndoList {
  #state: UndoState = { done: [], undone: [], status: 'idle' }
  readonly #listeners = new Set<() => void>()
  readonly #report: (text: string) => void
  /** The changes that are being made and are not pushed yet. */
  readonly #making = new Set<Promise<unknown>>()
  /** Settles with the last requested undo or redo. */
  #lastTurn: Promise<void> = Promise.resolve()

  /** @param report receives sentences for the user */
  constructor(report: (text: string) => void) {
    this.#report = report
  }

  readonly get = (): UndoState => this.#state

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Adds a completed change. Changes that were undone before can no longer be redone. */
  push(change: UndoableChange): void {
    const done = [...this.#state.done, change].slice(-maxChanges)
    this.#set({ ...this.#state, done, undone: [] })
    this.#report(change.label)
  }

  /** Runs `work`, which makes a change and pushes it at its end. An undo that the user requests meanwhile waits for `work`. */
  make<T>(work: () => Promise<T>): Promise<T> {
    const made = work()
    this.#making.add(made)
    const end = () => this.#making.delete(made)
    made.then(end, end)
    return made
  }

  /** Reverts the last change. */
  undo(): Promise<void> {
    return this.#inTurn(async () => {
      const change = this.#state.done.at(-1)
      if (!change) return this.#report('There is nothing to undo.')
      await this.#run(change, change.undo, 'undo', `Undone: ${change.label}`)
    })
  }

  /** Redoes the change that was undone last. */
  redo(): Promise<void> {
    return this.#inTurn(async () => {
      const change = this.#state.undone.at(-1)
      if (!change) return this.#report('There is nothing to redo.')
      await this.#run(change, change.redo, 'redo', change.label)
    })
  }

  /** Removes all changes, for example when another user signs in. */
  clear(): void {
    this.#set({ done: [], undone: [], status: 'idle' })
  }

  /** Runs a step after earlier steps, and after the changes that are being made. */
  #inTurn(step: () => Promise<void>): Promise<void> {
    this.#lastTurn = Promise.allSettled([this.#lastTurn, ...this.#making]).then(step)
    return this.#lastTurn
  }

  async #run(
    change: UndoableChange,
    work: () => unknown,
    direction: 'undo' | 'redo',
    label: string,
  ): Promise<void> {
    this.#set({ ...this.#state, status: 'working' })
    const failure = await attempt(work)
    const done = this.#state.done.filter((one) => one !== change)
    const undone = this.#state.undone.filter((one) => one !== change)
    if (failure === undefined) (direction === 'undo' ? undone : done).push(change)
    this.#set({ done, undone, status: 'idle' })
    this.#report(failure === undefined ? label : `Cannot ${direction}: ${failure}`)
  }

  #set(state: UndoState): void {
    this.#state = state
    for (const listener of this.#listeners) listener()
  }
}

/** Maximum number of changes in the list. */
const maxChanges = 200

/** Runs a function. Returns the reason if it fails, otherwise undefined. */
async function attempt(work: () => unknown): Promise<string | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    return errorText(error)
  }
}
