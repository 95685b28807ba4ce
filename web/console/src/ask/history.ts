/** A question that was run. */
export interface HistoryEntry {
  /** The JSON of the question. */
  readonly query: string
  /** The time of the last run, in milliseconds since 1970. */
  readonly at: number
}

/** The maximum number of entries that this browser keeps for each user. */
const maxEntries = 50

const keyOf = (user: number | undefined): string => `weft-console-asked-${user ?? 0}`

/** Returns the questions that a user ran in this browser, newest first. */
export function readHistory(user: number | undefined): readonly HistoryEntry[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(user)) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isEntry) : []
  } catch {
    return []
  }
}

/** Adds a question, or moves it to the front. */
export function addToHistory(user: number | undefined, query: string): void {
  const others = readHistory(user).filter((entry) => entry.query !== query)
  const entries = [{ query, at: Date.now() }, ...others].slice(0, maxEntries)
  try {
    localStorage.setItem(keyOf(user), JSON.stringify(entries))
  } catch {
    // The storage is full: the history keeps its current entries.
  }
}

const isEntry = (value: unknown): value is HistoryEntry =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as HistoryEntry).query === 'string' &&
  typeof (value as HistoryEntry).at === 'number'
