import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { createCache } from '../src/page/cache.ts'
import { open } from './chromium.ts'
import { pagePolicy, storing } from './stored.ts'

/** A cache whose questions are answered by hand. */
function byHand() {
  const asked: { key: string; answer: (text: string | undefined) => void; fail: () => void }[] = []
  const cache = createCache(
    (key) =>
      new Promise<string | undefined>((resolve, reject) => {
        asked.push({ key, answer: resolve, fail: () => reject(new Error('Unauthorized')) })
      }),
    async (text) => (text === 'nothing' ? undefined : { text }),
  )
  return { cache, asked }
}

const settled = () => new Promise((done) => setTimeout(done))

describe('what is stored', () => {
  test('is asked for once by all who ask at a time', async () => {
    const { cache, asked } = byHand()
    const both = [cache.load('a'), cache.load('a')]
    cache.subscribe('a', () => {})
    expect(asked).toHaveLength(1)
    asked[0]?.answer('one')
    await Promise.all(both)
    expect(cache.get('a')).toEqual({ status: 'ready', data: { text: 'one' } })
  })

  test('is shown while it is asked for again, and stays the same object when it says the same', async () => {
    const { cache, asked } = byHand()
    let changes = 0
    cache.subscribe('a', () => changes++)
    asked[0]?.answer('one')
    await settled()
    const before = cache.get('a')
    void cache.refresh('a')
    expect(cache.get('a')).toBe(before)
    asked[1]?.answer('one')
    await settled()
    expect(cache.get('a')).toBe(before)
    expect(changes).toBe(1)
    void cache.refresh('a')
    asked[2]?.fail()
    await settled()
    expect(cache.get('a')).toBe(before)
    void cache.refresh('a')
    asked[3]?.answer('two')
    await settled()
    expect(cache.get('a')).toEqual({ status: 'ready', data: { text: 'two' } })
    expect(changes).toBe(2)
  })

  test('is asked for once more when it changed while it was asked for', async () => {
    const { cache, asked } = byHand()
    cache.subscribe('a', () => {})
    void cache.refresh('a')
    void cache.refresh('a')
    asked[0]?.answer('old')
    await settled()
    expect(asked).toHaveLength(2)
    asked[1]?.answer('new')
    await settled()
    expect(cache.get('a')).toEqual({ status: 'ready', data: { text: 'new' } })
  })

  test.each([undefined, 'nothing'])('is missing when the server says %s', async (text) => {
    const { cache, asked } = byHand()
    void cache.load('a')
    asked[0]?.answer(text)
    await settled()
    expect(cache.get('a')).toEqual({ status: 'missing' })
  })

  test('is forgotten, with the answers that were on their way', async () => {
    const { cache, asked } = byHand()
    cache.subscribe('a', () => {})
    cache.clear()
    expect(asked).toHaveLength(2)
    asked[1]?.answer('theirs')
    await settled()
    asked[0]?.answer('mine')
    await settled()
    expect(cache.get('a')).toEqual({ status: 'ready', data: { text: 'theirs' } })
  })
})

test.each([
  { code: 401, says: 'Error: Unauthorized' },
  { code: 406, says: 'Error: Not Acceptable' },
  { code: 500, says: 'Error: Internal Server Error' },
])(
  'a widget that is answered with $code says "$says", and can be asked for again',
  async ({ code, says }) => {
    const { paths } = await storing({ id: 1, html: '<p>here</p>' })
    let broken = true
    const { page } = await open('in-code.tsx', pagePolicy, {
      ...paths,
      '/api/v1/events': () => {}, // news would ask again by themselves
      '/api/v1/widgets': (answer: ServerResponse, url) => {
        if (broken) answer.writeHead(code).end()
        else paths['/api/v1/widgets']?.(answer, url)
      },
    })
    await page.evaluate(() => window.inCode.draw({ id: 1 }))
    await page.getByText(says, { exact: true }).waitFor()
    broken = false
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('here').waitFor()
  },
)

test('what one visitor saw is not shown to the next', async () => {
  const { paths } = await storing()
  const seenBy: (string | undefined)[] = []
  const { page } = await open('in-code.tsx', pagePolicy, {
    ...paths,
    '/api/v1/widgets': (answer: ServerResponse) => {
      const who = answer.req.headers.authorization
      seenBy.push(who)
      const widget = who ? { id: 1, name: 'mine', html: '<p>my secret</p>', css: '' } : null
      answer.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ widget }))
    },
  })
  await page.evaluate(() => window.inCode.draw({ id: 1 }))
  await page.getByText("Invalid or Widget doesn't exist").waitFor()
  await page.evaluate(() => window.inCode.sign('a.token'))
  await page.getByText('my secret').waitFor()
  await page.evaluate(() => window.inCode.sign(undefined))
  await page.getByText("Invalid or Widget doesn't exist").waitFor()
  expect(await page.getByText('my secret').count()).toBe(0)
  expect(seenBy).toContain('Bearer a.token')
  expect(seenBy.at(-1)).toBeUndefined()
})
