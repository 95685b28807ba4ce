import type { Browser } from 'playwright-core'

/**
 * Measures navigations: milliseconds from a click on a link of the home page to the frame that shows the other page, by
 * path. The home page is idle and has finished its prefetching.
 */
export async function measureNavigations(
  browser: Browser,
  url: string,
  paths: readonly string[],
  cpuSlowDown: number,
): Promise<ReadonlyMap<string, number>> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  try {
    const page = await context.newPage()
    await page.goto(url, { waitUntil: 'load' })
    await page.mouse.move(700, 450) // pages are prefetched only for a visitor who moves the pointer
    await page.waitForTimeout(5_000)
    const devtools = await context.newCDPSession(page)
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: cpuSlowDown })
    const times = new Map<string, number>()
    for (const path of paths) {
      await page.evaluate(pointAt, path)
      await page.waitForTimeout(300)
      times.set(path, await page.evaluate(clickAndWait, path))
      await page.waitForTimeout(200)
      await page.evaluate(clickAndWait, '/')
      await page.waitForTimeout(500)
    }
    return times
  } finally {
    await context.close()
  }
}

/** Simulates the pointer over a link, even over one that is not visible. Runs in the page. */
function pointAt(path: string): void {
  const link = document.querySelector(`a[href="${path}"]`)
  link?.dispatchEvent(new PointerEvent('pointerover', { bubbles: true }))
}

/** Follows a link, even one that is not visible, and waits for another heading. Runs in the page. */
function clickAndWait(path: string): Promise<number> {
  const link = document.querySelector<HTMLAnchorElement>(`a[href="${path}"]`)
  if (link === null) return Promise.reject(new Error(`the page has no link to ${path}`))
  const before = document.querySelector('h1')?.textContent
  return new Promise((resolve) => {
    const start = performance.now()
    const checkHeading = () => {
      const heading = document.querySelector('h1')?.textContent
      if (!heading || heading === before) requestAnimationFrame(checkHeading)
      else requestAnimationFrame(() => resolve(performance.now() - start))
    }
    link.click()
    checkHeading()
  })
}
