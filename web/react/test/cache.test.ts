import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { Cache } from '../src/stored/cache.ts'
import { open } from './chromium.ts'
import { pagePolicy, serveWidgets } from './stored.ts'

/** Returns a cache and its fetches. The test responds to each fetch itself. */
function cacheWithManualFetches() {
  const fetches: { key: string; respond: (text: string | undefined) => void; fail: () => void }[] =
    []
  const cache = new Cache({
    fetchText: (key) =>
      new Promise<string | undefined>((resolve, reject) => {
        fetches.push({ key, respond: resolve, fail: () => reject(new Error('Unauthorized')) })
      }),
    parse: async (text) => (text === 'nothing' ? undefined : { text }),
  })
  return { cache, fetches }
}

const settlePromises = () => new Promise((resolve) => setTimeout(resolve))

describe('the cache', () => {
  test('shares one fetch between concurrent loads of a key', async () => {
    const { cache, fetches } = cacheWithManualFetches()
    const loads = [cache.load('a'), cache.load('a')]
    cache.subscribe('a', () => {})
    expect(fetches).toHaveLength(1)
    fetches[0]?.respond('one')
    await Promise.all(loads)
    expect(cache.get('a')).toEqual({ status: 'ready', data: { text: 'one' } })
  })

  test('a key whose data was put becomes missing after the server has removed it', async () => {
    const { cache, fetches } = cacheWithManualFetches()
    cache.put('/', { text: 'from the server-rendered page' })
    const refreshed = cache.refresh('/')
    fetches[0]?.respond(undefined)
    await refreshed
    expect(cache.get('/')).toEqual({ status: 'missing' })
  })

  test('keeps data during a refetch, and the same state object when the response is the same', async () => {
    const { cache, fetches } = cacheWithManualFetches()
    let changes = 0
    cache.subscribe('a', () => changes++)
    fetches[0]?.respond('one')
    await settlePromises()
    const before = cache.get('a')
    void cache.refresh('a')
    expect(cache.get('a')).toBe(before)
    fetches[1]?.respond('one')
    await settlePromises()
    expect(cache.get('a')).toBe(before)
    expect(changes).toBe(1)
    void cache.refresh('a')
    fetches[2]?.fail()
    await settlePromises()
    expect(cache.get('a')).toBe(before)
    void cache.refresh('a')
    fetches[3]?.respond('two')
    await settlePromises()
    expect(cache.get('a')).toEqual({ status: 'ready', data: { text: 'two' } })
    expect(changes).toBe(2)
  })

  test('fetches once more when refreshed during a fetch', async () => {
    const { cache, fetches } = cacheWithManualFetches()
    cache.subscribe('a', () => {})
    void cache.refresh('a')
    void cache.refresh('a')
    fetches[0]?.respond('old')
    await settlePromises()
    expect(fetches).toHaveLength(2)
    fetches[1]?.respond('new')
    await settlePromises()
    expect(cache.get('a')).toEqual({ status: 'ready', data: { text: 'new' } })
  })

  test.each([undefined, 'nothing'])('reports missing for the response %s', async (text) => {
    const { cache, fetches } = cacheWithManualFetches()
    void cache.load('a')
    fetches[0]?.respond(text)
    await settlePromises()
    expect(cache.get('a')).toEqual({ status: 'missing' })
  })

  test('drops responses of fetches that were running when it was cleared', async () => {
    const { cache, fetches } = cacheWithManualFetches()
    cache.subscribe('a', () => {})
    cache.clear()
    expect(fetches).toHaveLength(2)
    fetches[1]?.respond('theirs')
    await settlePromises()
    fetches[0]?.respond('mine')
    await settlePromises()
    expect(cache.get('a')).toEqual({ status: 'ready', data: { text: 'theirs' } })
  })
})

test.each([
  { code: 401, message: 'Error: Unauthorized' },
  { code: 406, message: 'Error: Not Acceptable' },
  { code: 500, message: 'Error: Internal Server Error' },
])(
  'shows "$message" for status $code, and a button that loads the widget again',
  async ({ code, message }) => {
    const { paths } = await serveWidgets({ id: 1, html: '<p>here</p>' })
    let broken = true
    const { page } = await open('fixture-code.tsx', pagePolicy, {
      ...paths,
      '/api/v1/events': () => {}, // no change stream: a change event would also cause a refetch
      '/api/v1/widgets': (respond: ServerResponse, url) => {
        if (broken) respond.writeHead(code).end()
        else paths['/api/v1/widgets']?.(respond, url)
      },
    })
    await page.evaluate(() => window.codeFixture.draw({ id: 1 }))
    await page.getByText(message, { exact: true }).waitFor()
    broken = false
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('here').waitFor()
  },
)

test('a widget of one user is not shown after sign-out', async () => {
  const { paths } = await serveWidgets()
  const tokens: (string | undefined)[] = []
  const { page } = await open('fixture-code.tsx', pagePolicy, {
    ...paths,
    '/api/v1/widgets': (respond: ServerResponse) => {
      const token = respond.req.headers.authorization
      tokens.push(token)
      const widget = token ? { id: 1, name: 'mine', html: '<p>my secret</p>', css: '' } : null
      respond.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ widget }))
    },
  })
  await page.evaluate(() => window.codeFixture.draw({ id: 1 }))
  await page.getByText("Invalid or Widget doesn't exist").waitFor()
  await page.evaluate(() => window.codeFixture.sign('a.token'))
  await page.getByText('my secret').waitFor()
  await page.evaluate(() => window.codeFixture.sign(undefined))
  await page.getByText("Invalid or Widget doesn't exist").waitFor()
  expect(await page.getByText('my secret').count()).toBe(0)
  expect(tokens).toContain('Bearer a.token')
  expect(tokens.at(-1)).toBeUndefined()
})
