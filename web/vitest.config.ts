import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { defineConfig } from 'vitest/config'

const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.test\.tsx?$/.test(file) && !/(^|\/)(node_modules|dist)\//.test(file),
)
const inBrowser = files.filter((file) => reachesPlaywright(join(import.meta.dirname, file)))

/**
 * Three projects:
 *
 *   structure   reads files: imports, sizes, prose, the reference. `make check` runs it.
 *   unit        starts no browser and finishes within a minute
 *   browser     drives Chromium. A test belongs to it when it imports Playwright, directly or through its helpers.
 *
 * Tests are not retried: a test that needs a retry is wrong or has found a defect. Timeouts detect deadlocks; they leave room
 * for a machine whose cores are all busy with other work.
 */
export default defineConfig({
  test: {
    // On two processors, five workers would take two thirds of the time. But pages would then load so slowly that a
    // page of the site might shift its layout, which its test reports.
    maxWorkers: 3,
    // The test files of a project run in the same processes. In a process they share the modules, the browser and the
    // bundles.
    isolate: false,
    retry: 0,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    projects: [
      { extends: true, test: { name: 'structure', include: files.filter(isStructure) } },
      { extends: true, test: { name: 'unit', include: files.filter(isUnit) } },
      { extends: true, test: { name: 'browser', include: inBrowser } },
    ],
  },
})

function isStructure(file: string): boolean {
  return dirname(file) === '.'
}

function isUnit(file: string): boolean {
  return !isStructure(file) && !inBrowser.includes(file)
}

function reachesPlaywright(file: string, seen = new Set<string>()): boolean {
  if (seen.has(file) || !/\.[cm]?tsx?$/.test(file) || !existsSync(file)) return false
  seen.add(file)
  const source = readFileSync(file, 'utf8')
  const imported = [...source.matchAll(/^(?:import|export)\s[^']*?'([^']+)'/gm)].map(
    ([statement, path = '']) => ({ path, isType: statement.startsWith('import type') }),
  )
  return imported.some(
    ({ path, isType }) =>
      !isType &&
      (path === 'playwright-core' ||
        (path.startsWith('.') && reachesPlaywright(join(dirname(file), path), seen))),
  )
}
