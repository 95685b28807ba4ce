// biome-ignore-all lint/suspicious/noConsole: the tests watch the console of the page
import { expect, test } from 'vitest'
import { messages, openPage, watch } from './monitor.ts'

test('route changes are logged, with secrets in URLs redacted', async () => {
  const { page, app, entries } = await openPage()
  await watch(page, 100)
  await expect.poll(async () => messages(await entries())).toEqual(['Initial Load'])
  await page.evaluate(() => {
    history.pushState({}, '', '/a?page=2&token=hunter2')
    history.replaceState({ scroll: 5 }, '')
    history.replaceState({}, '', '/b')
    history.pushState({}, '', '/b')
    return new Promise((resolve) => {
      addEventListener('popstate', resolve)
      history.go(-1)
    })
  })
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
  const [first, ...rest] = await entries()
  expect(first).toMatchObject({
    level: 'ROUTE',
    data: { url: expect.stringContaining(`${app.url}/?weft=`), requestFrom: 'app', sessionId: 998 },
  })
  expect(rest.map(({ level, message, data }) => [level, message, data.url])).toEqual([
    ['ROUTE', 'Route Change', `${app.url}/a?page=2&token=[redacted]`],
    ['ROUTE', 'Route Change', `${app.url}/b`],
    ['ROUTE', 'Route Change', `${app.url}/b`],
    ['ROUTE', 'Route Changed (Back/Forward)', `${app.url}/b`],
    ['ROUTE', 'Route Changed (Back/Forward)', `${app.url}/b`],
  ])
  expect(JSON.stringify(await entries())).not.toMatch(/hunter2|token=eyJ/)
})

test('leaving a page is logged, and queued entries are sent', async () => {
  const { page, app, storedEntries } = await openPage()
  await watch(page)
  await page.click('#buy')
  expect(await storedEntries()).toEqual([])
  await page.goto(`${app.url}/other`)
  await expect
    .poll(async () => messages(await storedEntries()).sort())
    .toEqual(['Initial Load', 'Unload', 'User Click'])
  const all = await storedEntries()
  const at = (message: string) => messages(all).indexOf(message)
  expect(at('Initial Load')).toBeLessThan(at('Unload'))
})

test('queued entries are sent when the page is hidden', async () => {
  const { page, storedEntries } = await openPage()
  await watch(page)
  await page.click('#buy')
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
  await page.click('#quiet')
  expect(await storedEntries()).toEqual([])
  await page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { value: true })
    document.dispatchEvent(new Event('visibilitychange'))
  })
  await expect
    .poll(async () => messages(await storedEntries()))
    .toEqual(['User Click', 'User Click'])
})

test('the newest of many queued entries are sent when the page is left', async () => {
  const { page, app, storedEntries } = await openPage()
  await watch(page)
  await page.evaluate(() => {
    const { logger } = window.watched
    for (let n = 0; n < 40; n++) logger.logApplication('INFO', `${n} ${'नेपाल '.repeat(500)}`)
  })
  await page.goto(`${app.url}/other`)
  await expect.poll(async () => messages(await storedEntries())).toContain('Unload')
  const numbers = messages(await storedEntries()).flatMap((message) => message.match(/^\d+/) ?? [])
  expect(numbers.length).toBeGreaterThan(2)
  expect(numbers.length).toBeLessThan(40)
  expect(numbers).toContain('39')
})

test('clicks are logged without typed or chosen text', async () => {
  const { page, entries } = await openPage()
  await watch(page)
  await page.fill('#text', 'typed words')
  await page.fill('#secret', 'hunter2')
  await page.fill('#area', 'typed words')
  for (const id of ['buy', 'quiet', 'text', 'secret', 'area', 'free', 'choice', 'hidden'])
    await page.click(`#${id}`)
  await page.click('#all', { position: { x: 3, y: 3 } })
  const all = await entries()
  expect(all.map(({ level, message, data }) => [level, message, data.id, data.text])).toEqual([
    ['INFO', 'User Click', 'buy', 'Buy this book, which has a title that is longer th'],
    ['INFO', 'User Click', 'quiet', 'Quiet'],
    ...['text', 'secret', 'area', 'free', 'choice', 'hidden'].map((id) => [
      'INFO',
      'User Click',
      id,
      '',
    ]),
    ['INFO', 'User Click', 'all', 'Seen around'],
  ])
  expect(all[0]?.data).toMatchObject({ element: 'button', classes: 'big red' })
  expect(JSON.stringify(all)).not.toMatch(/typed|hunter2|private/)
})

test('uncaught errors are logged once, and still reach the page', async () => {
  const { page, entries } = await openPage()
  await page.evaluate(() => {
    window.onerror = (...args) => void window.observed.push(['onerror', args[4]])
    window.onunhandledrejection = ({ reason }) => void window.observed.push(['onrejection', reason])
    addEventListener('error', ({ error }) => window.observed.push(['error', error]))
  })
  await watch(page)
  const observed = await page.evaluate(async () => {
    const thrown = new Error('thrown; token=hunter2')
    const rejected = new TypeError('rejected')
    setTimeout(() => {
      throw thrown
    })
    void Promise.reject(rejected)
    void Promise.reject('a text')
    await new Promise((resolve) => setTimeout(resolve, 100))
    const names = new Map<unknown, string>([
      [thrown, 'thrown'],
      [rejected, 'rejected'],
    ])
    return window.observed.map((one) => {
      const [handler, error] = one as [string, unknown]
      return [handler, names.get(error) ?? error]
    })
  })
  expect(observed.sort()).toEqual([
    ['error', 'thrown'],
    ['onerror', 'thrown'],
    ['onrejection', 'a text'],
    ['onrejection', 'rejected'],
  ])
  const all = await entries()
  expect(messages(all).sort()).toEqual([
    'Runtime Error',
    'Unhandled Promise Rejection',
    'Unhandled Promise Rejection',
  ])
  const runtime = all.find(({ message }) => message === 'Runtime Error')
  expect(runtime).toMatchObject({
    level: 'ERROR',
    data: {
      message: expect.stringContaining('thrown; token=[redacted]'),
      lineno: expect.any(Number),
      colno: expect.any(Number),
      stack: expect.stringContaining('Error: thrown'),
    },
  })
  const rejections = all.filter(({ message }) => message.startsWith('Unhandled'))
  expect(rejections.map(({ data }) => data.message)).toEqual(['rejected', 'a text'])
  expect(rejections[0]?.data.stack).toContain('TypeError: rejected')
})

test('unhandled rejections are still reported while calls are logged and reads are counted', async () => {
  const { page } = await openPage()
  const observed = await page.evaluate(async () => {
    addEventListener('unhandledrejection', (event) => {
      window.observed.push((event.reason as Error).message)
      event.preventDefault()
    })
    const { weft, logger, createTracker } = window.watched
    const fail = (message: string) => () => Promise.reject(new Error(message))
    weft.load = fail('loading')
    createTracker(weft).start()
    void weft.load(5)
    void logger.logCall('get', [5], fail('calling'))
    const handled = logger.logCall('get', [5], fail('handled'))
    await handled.catch(() => {})
    await new Promise((resolve) => setTimeout(resolve, 100))
    return window.observed.sort()
  })
  expect(observed).toEqual(['calling', 'loading'])
})

test('console.error still writes, and is logged once', async () => {
  const { page, entries } = await openPage()
  const written: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') written.push(message.text())
  })
  await watch(page)
  await page.evaluate(() => {
    const circle: { password: string; circle?: unknown } = { password: 'hunter2' }
    circle.circle = circle
    const noisy = {
      get x() {
        console.error('from within')
        return 1
      },
    }
    console.error('failed', new Error('no'), circle)
    console.error(noisy)
    console.log('not an error')
  })
  const all = await entries()
  expect(all.map(({ level, message, data }) => [level, message, data.arguments])).toEqual([
    [
      'ERROR',
      'Console Error',
      [
        'failed',
        { message: 'no', stack: expect.stringContaining('Error: no') },
        { password: '[redacted]', circle: '[circular]' },
      ],
    ],
    ['ERROR', 'Console Error', [{ x: 1 }]],
  ])
  expect(written).toContainEqual(expect.stringMatching(/^failed Error: no/))
  expect(written).toContain('from within')
})

test('a page has one monitor, and is restored after it stops', async () => {
  const { page, entries } = await openPage()
  const comparison = await page.evaluate(() => {
    const { startMonitor, logger } = window.watched
    const before = [fetch, WebSocket, console.error, history.pushState]
    const now = () => [fetch, WebSocket, console.error, history.pushState]
    const stop = startMonitor(logger)
    const watching = now()
    const second = startMonitor(logger)
    const afterSecondStart = now()
    stop()
    stop()
    const after = now()
    const own = Object.hasOwn(history, 'pushState')
    window.unwatch = startMonitor(logger)
    return {
      allReplaced: watching.every((x, i) => x !== before[i]),
      replacedOnce: afterSecondStart.every((x, i) => x === watching[i]) && second === stop,
      restored: after.every((x, i) => x === before[i]) && !own,
    }
  })
  expect(comparison).toEqual({ allReplaced: true, replacedOnce: true, restored: true })
  await page.evaluate(() => console.error('one'))
  await page.evaluate(() => {
    const { fetch: original } = window
    const outerFetch: typeof fetch = (...args) => original(...args)
    window.fetch = outerFetch
    window.unwatch()
    window.observed = [window.fetch === outerFetch]
    console.error('two')
    history.pushState({}, '', '/a')
    document.querySelector('button')?.click()
    void Promise.reject(new Error('three'))
    return fetch('/missing')
  })
  expect(await page.evaluate(() => window.observed)).toEqual([true])
  expect(messages(await entries())).toEqual(['Console Error'])
})

test("nothing is wrapped while the application's log is disabled", async () => {
  const { page, storedEntries } = await openPage()
  const isWrapped = await page.evaluate(async () => {
    const { weft, createLogger, startMonitor } = window.watched
    const before = [fetch, console.error, history.pushState]
    const logger = createLogger(weft, { logPackage: true })
    startMonitor(logger)
    const after = [fetch, console.error, history.pushState]
    document.querySelector('button')?.click()
    await logger.flush()
    return before.some((x, i) => x !== after[i])
  })
  expect(isWrapped).toBe(false)
  expect(await storedEntries()).toEqual([])
})
