// biome-ignore-all lint/suspicious/noConsole: the console of the page is what is watched here
import { expect, test } from 'vitest'
import { messages, openPage, watch } from './monitor.ts'

test('where somebody goes is logged, without the secrets of addresses', async () => {
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

test('a page that is left says so, and what waited is sent', async () => {
  const { page, app, kept } = await openPage()
  await watch(page)
  await page.click('#buy')
  expect(await kept()).toEqual([])
  await page.goto(`${app.url}/other`)
  await expect
    .poll(async () => messages(await kept()).sort())
    .toEqual(['Initial Load', 'Unload', 'User Click'])
  const all = await kept()
  const at = (message: string) => messages(all).indexOf(message)
  expect(at('Initial Load')).toBeLessThan(at('Unload'))
})

test('what waits is sent when the page is hidden', async () => {
  const { page, kept } = await openPage()
  await watch(page)
  await page.click('#buy')
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
  await page.click('#quiet')
  expect(await kept()).toEqual([])
  await page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { value: true })
    document.dispatchEvent(new Event('visibilitychange'))
  })
  await expect.poll(async () => messages(await kept())).toEqual(['User Click', 'User Click'])
})

test('of much that waits in a page that is left, the newest is sent', async () => {
  const { page, app, kept } = await openPage()
  await watch(page)
  await page.evaluate(() => {
    const { logger } = window.watched
    for (let n = 0; n < 40; n++) logger.logApplication('INFO', `${n} ${'नेपाल '.repeat(500)}`)
  })
  await page.goto(`${app.url}/other`)
  await expect.poll(async () => messages(await kept())).toContain('Unload')
  const numbers = messages(await kept()).flatMap((message) => message.match(/^\d+/) ?? [])
  expect(numbers.length).toBeGreaterThan(2)
  expect(numbers.length).toBeLessThan(40)
  expect(numbers).toContain('39')
})

test('clicks are logged, and nothing that somebody types or chooses', async () => {
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

test('errors that nobody caught are logged once, and the page hears of them as before', async () => {
  const { page, entries } = await openPage()
  await page.evaluate(() => {
    window.onerror = (...given) => void window.told.push(['onerror', given[4]])
    window.onunhandledrejection = ({ reason }) => void window.told.push(['onrejection', reason])
    addEventListener('error', ({ error }) => window.told.push(['error', error]))
  })
  await watch(page)
  const told = await page.evaluate(async () => {
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
    return window.told.map((one) => {
      const [handler, error] = one as [string, unknown]
      return [handler, names.get(error) ?? error]
    })
  })
  expect(told.sort()).toEqual([
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

test('a failure that nobody sees to is told of, also where calls are logged or reads counted', async () => {
  const { page } = await openPage()
  const told = await page.evaluate(async () => {
    addEventListener('unhandledrejection', (event) => {
      window.told.push((event.reason as Error).message)
      event.preventDefault()
    })
    const { weft, logger, createTracker } = window.watched
    const fail = (message: string) => () => Promise.reject(new Error(message))
    weft.load = fail('loading')
    createTracker(weft).start()
    void weft.load(5)
    void logger.logCall('get', [5], fail('calling'))
    const seen = logger.logCall('get', [5], fail('seen to'))
    await seen.catch(() => {})
    await new Promise((resolve) => setTimeout(resolve, 100))
    return window.told.sort()
  })
  expect(told).toEqual(['calling', 'loading'])
})

test('what is written to the console as an error is there, and logged once', async () => {
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

test('a page is watched once, and put back as it was', async () => {
  const { page, entries } = await openPage()
  const same = await page.evaluate(() => {
    const { startMonitor, logger } = window.watched
    const before = [fetch, WebSocket, console.error, history.pushState]
    const now = () => [fetch, WebSocket, console.error, history.pushState]
    const stop = startMonitor(logger)
    const watching = now()
    const again = startMonitor(logger)
    const twice = now()
    stop()
    stop()
    const after = now()
    const own = Object.hasOwn(history, 'pushState')
    window.unwatch = startMonitor(logger)
    return {
      all: watching.every((x, i) => x !== before[i]),
      once: twice.every((x, i) => x === watching[i]) && again === stop,
      back: after.every((x, i) => x === before[i]) && !own,
    }
  })
  expect(same).toEqual({ all: true, once: true, back: true })
  await page.evaluate(() => console.error('one'))
  await page.evaluate(() => {
    const { fetch: theirs } = window
    const onTop: typeof fetch = (...given) => theirs(...given)
    window.fetch = onTop
    window.unwatch()
    window.told = [window.fetch === onTop]
    console.error('two')
    history.pushState({}, '', '/a')
    document.querySelector('button')?.click()
    void Promise.reject(new Error('three'))
    return fetch('/missing')
  })
  expect(await page.evaluate(() => window.told)).toEqual([true])
  expect(messages(await entries())).toEqual(['Console Error'])
})

test('nothing is touched where the log of the application is off', async () => {
  const { page, kept } = await openPage()
  const touched = await page.evaluate(async () => {
    const { weft, createLogger, startMonitor } = window.watched
    const before = [fetch, console.error, history.pushState]
    const logger = createLogger(weft, { logPackage: true })
    startMonitor(logger)
    const after = [fetch, console.error, history.pushState]
    document.querySelector('button')?.click()
    await logger.send()
    return before.some((x, i) => x !== after[i])
  })
  expect(touched).toBe(false)
  expect(await kept()).toEqual([])
})
