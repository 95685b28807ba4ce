import type { BrowserContext, Page } from 'playwright-core'

/** Opens the demo and waits until it has heard from the server. */
export async function openNotes(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage()
  await page.clock.install()
  await page.goto(`${url}/demo`)
  await page.getByText('Everything is on the server.').waitFor()
  return page
}

export async function write(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'New note' }).fill(text)
  await page.keyboard.press('Enter')
}

/** What a screen reader would call the element that has the focus. Empty when nothing has it. */
export const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const element = document.activeElement as HTMLInputElement
    return element.getAttribute('aria-label') ?? element.labels?.[0]?.innerText ?? ''
  })
