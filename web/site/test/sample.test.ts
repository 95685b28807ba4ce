import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const web = join(import.meta.dirname, '../..')
const homePage = readFileSync(
  join(web, '../internal/site/content/widgets/home/widget.html'),
  'utf8',
)
const examples = [...homePage.matchAll(/aria-label="(Example: [^"]*)"><code>(.*?)<\/code>/gs)].map(
  ([, name = '', html = '']) => ({ name, code: sourceText(html) }),
)

test('the home page has a plain example and a React example', () => {
  expect(examples.map(({ code }) => code.includes('<WeftProvider'))).toEqual([false, true])
})

test.each(examples)('$name on the home page passes the type checker', ({ name, code }) => {
  const file = join(import.meta.dirname, `${name.replaceAll(/\W+/g, '-')}-${process.pid}`)
  onTestFinished(() => {
    for (const extension of ['.tsx', '.json']) rmSync(file + extension, { force: true })
  })
  writeFileSync(`${file}.tsx`, code)
  writeFileSync(
    `${file}.json`,
    JSON.stringify({ extends: '../../tsconfig.json', include: [], files: [`${file}.tsx`] }),
  )
  const typeCheck = () =>
    execFileSync(join(web, 'node_modules/.bin/tsc'), ['-p', `${file}.json`], { encoding: 'utf8' })
  expect(typeCheck()).toBe('')
})

/** Returns the program text of an example: HTML without comment tags and entities. */
function sourceText(html: string): string {
  return html
    .replaceAll(/<\/?i>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
}
