type Draft = Readonly<Record<string, string>>

const name = 'weft-contact'

/** What was begun in this tab and not sent. */
export function storedDraft(): Draft {
  try {
    const draft: unknown = JSON.parse(sessionStorage.getItem(name) ?? '{}')
    const members = Object.entries(draft ?? {})
    return Object.fromEntries(members.filter(([, value]) => typeof value === 'string'))
  } catch {
    return {}
  }
}

export function keepDraft(draft: Draft): void {
  try {
    sessionStorage.setItem(name, JSON.stringify(draft))
  } catch {
    // Storage is switched off: the draft lasts as long as the page.
  }
}

export function forgetDraft(): void {
  try {
    sessionStorage.removeItem(name)
  } catch {
    // Then there is none.
  }
}
