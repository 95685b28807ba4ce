import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Returns the accessibility violations that axe finds in the page: for each rule, the elements that break it. */
export async function accessibilityViolations(page: Page): Promise<unknown> {
  // Running the script of axe takes half of the time, so it runs only once in each document.
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(axe)
  return page.evaluate(
    "axe.run({ resultTypes: ['violations'] }).then((found) => found.violations.map(({ id, nodes }) => [id, nodes.map((n) => n.html)]))",
  )
}
