import { expect, test } from 'vitest'
import { openPage } from './monitor.ts'

test('saved counts are loaded by a later visit of the same user, and sent once', async () => {
  const { page, url } = await openPage()
  const requestBodies: unknown[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('sync-access-tracker')) requestBodies.push(request.postDataJSON())
  })
  const first = await page.evaluate(async () => {
    await window.watched.weft.ready
    await window.watched.weft.query({ type: 'the_note' }).refresh()
    const tracker = window.watched.createTracker(window.watched.weft)
    tracker.countConcept(5)
    tracker.countConcept(5)
    tracker.countConnection(6)
    const saved = tracker.save()
    // Counts saved by this page are still in memory.
    return [saved, await tracker.load(), tracker.getTop(9)]
  })
  expect(first).toEqual([
    true,
    false,
    { concepts: [{ id: 5, count: 2 }], connections: [{ id: 6, count: 1 }] },
  ])

  await page.reload()
  const later = await page.evaluate(async () => {
    const { weft, createTracker } = window.watched
    await weft.ready
    await weft.query({ type: 'the_note' }).refresh()
    const tracker = createTracker(weft)
    tracker.countConcept(5)
    return [await tracker.load(), await tracker.load(), tracker.getTop(1).concepts]
  })
  expect(later).toEqual([true, false, [{ id: 5, count: 3 }]])

  const after = await page.evaluate(async () => {
    const tracker = window.watched.createTracker(window.watched.weft)
    tracker.save()
    const sent = await tracker.sendToServer()
    return [sent, localStorage.getItem('Access Data')]
  })
  expect(after).toEqual([true, null])
  expect(requestBodies).toEqual([{ concepts: { 5: 3 }, connections: { 6: 1 } }])

  const other = await page.evaluate(async (url) => {
    const { weft, createTracker } = window.watched
    const tracker = createTracker(weft)
    tracker.countConcept(8)
    tracker.save()
    weft.setToken(undefined)
    return [url, await tracker.load(), tracker.getTop(1).concepts]
  }, url)
  expect(other).toEqual([url, false, []])
})
