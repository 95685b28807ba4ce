/** An action that the palette offers. */
export interface Action {
  /** Unique among the registered actions. */
  readonly id: string
  readonly label: string
  /** The heading in the palette: `Actions` by default. */
  readonly group?: string
  /** A combination that starts the action, for display. */
  readonly keys?: string
  readonly run: () => void
}

/** The actions of the shell and of the open room. */
export class Actions {
  #actions: readonly Action[] = []
  readonly #listeners = new Set<() => void>()

  readonly get = (): readonly Action[] => this.#actions

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Adds actions. Returns a function that removes them. */
  register(actions: readonly Action[]): () => void {
    this.#set([...actions, ...this.#actions])
    return () => this.#set(this.#actions.filter((one) => !actions.includes(one)))
  }

  #set(actions: readonly Action[]): void {
    this.#actions = actions
    for (const listener of this.#listeners) listener()
  }
}
