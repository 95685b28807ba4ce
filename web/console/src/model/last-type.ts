const storageKey = 'weft-console-type'

/** Stores the name of the type whose records were opened last, in this browser. */
export function storeLastType(name: string): void {
  localStorage.setItem(storageKey, name)
}

/** Returns the raw name of the type that was opened last in this browser; undefined if there is none. */
export const lastType = (): string | undefined => localStorage.getItem(storageKey) ?? undefined
