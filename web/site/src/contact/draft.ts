type Draft = Readonly<Record<string, string>>

const storageKey = 'weft-contact'

/** Returns the unsent message of this tab; empty if there is none. */
export function loadDraft(): Draft {
  try {
    const draft: unknown = JSON.parse(sessionStorage.getItem(storageKey) ?? '{}')
    const members = Object.entries(draft ?? {})
    return Object.fromEntries(members.filter(([, value]) => typeof value === 'string'))
  } catch {
    return {}
  }
}

/** Stores the unsent message in this tab. */
export function saveDraft(draft: Draft): void {
  try {
    sessionStorage.setItem(storageKey, JSON.stringify(draft))
  } catch {
    // Storage is disabled: the draft is lost when the page is closed.
  }
}

export function clearDraft(): void {
  try {
    sessionStorage.removeItem(storageKey)
  } catch {
    // Storage is disabled, so no draft was stored.
  }
}
