import type { BrowserContext, Page } from 'playwright-core'

/** Opens the demo and waits for its first sync. */
export async function openNotes(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage()
  await page.clock.install()
  await page.goto(`${url}/demo`)
  await page.getByText('All changes are on the server.').waitFor()
  return page
}

/** Adds a note with this text. */
export async function addNote(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'New note' }).fill(text)
  await page.keyboard.press('Enter')
}

/** Returns the accessible name of the focused element; empty if no element has the focus. */
export const focusedName = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const element = document.activeElement as HTMLInputElement
    return element.getAttribute('aria-label') ?? element.labels?.[0]?.innerText ?? ''
  })
