import { expect, test } from 'vitest'
import { profile } from '../../e2e/browser.ts'
import { onDisk } from './disk.ts'
import { openEntries } from './entries.ts'
import { startServer } from './server.ts'

test('a write that is discarded while it is being saved is not on the disk', async () => {
  const page = await openEntries(await profile(), await startServer('--anonymous-writes=false'))
  const discarded = await page.evaluate(async () => {
    const { weft } = window
    const left: string[] = []
    for (let i = 0; i < 20; i++) {
      const first = weft.create('the_note', { text: `stays ${i}` })
      // The first is on its way to the disk, and the next waits for that.
      await new Promise((later) => setTimeout(later, 0))
      const next = weft.create('the_note', { text: `goes ${i}` })
      next.synced.catch((e) => left.push(e.message))
      await weft.sync.discard(next.key)
      await Promise.all([first.saved, next.saved])
    }
    return left
  })
  expect(discarded).toEqual(Array.from({ length: 20 }, () => 'discarded'))
  const rows = Object.entries(await onDisk(page)).flatMap(([, stores]) => stores['outbox'] ?? [])
  const texts = JSON.stringify(rows).match(/(goes|stays) \d+/g) ?? []
  expect([...new Set(texts)]).toEqual(Array.from({ length: 20 }, (_, i) => `stays ${i}`))
  await page.reload()
  await page.waitForFunction(() => window.weft !== undefined)
  await page.evaluate(() => window.weft.ready)
  expect(await page.evaluate(() => window.weft.sync.writes().length)).toBe(20)
}, 90_000)
