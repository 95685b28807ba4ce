import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const web = join(import.meta.dirname, '../..')

test('the code on the home page is a whole program, and its types are right', () => {
  const page = readFileSync(join(web, '../content/widgets/home/widget.html'), 'utf8')
  const sample = /aria-label="Example"><code>(.*?)<\/code>/s.exec(page)?.[1] ?? ''
  const code = sample
    .replaceAll(/<\/?i>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
  expect(code).toContain('<WeftProvider')

  const name = join(import.meta.dirname, `sample-${process.pid}`)
  onTestFinished(() => {
    for (const end of ['.tsx', '.json']) rmSync(name + end, { force: true })
  })
  writeFileSync(`${name}.tsx`, code)
  writeFileSync(
    `${name}.json`,
    JSON.stringify({ extends: '../../tsconfig.json', include: [], files: [`${name}.tsx`] }),
  )
  const run = () =>
    execFileSync(join(web, 'node_modules/.bin/tsc'), ['-p', `${name}.json`], { encoding: 'utf8' })
  expect(run()).toBe('')
})
