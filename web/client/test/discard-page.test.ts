import { expect, test } from 'vitest'
import { profile } from '../../e2e/browser.ts'
import { readDatabases } from './disk.ts'
import { openEntries } from './entries.ts'
import { startServer } from './server.ts'

test('a write that is discarded while it is being saved is not kept on disk', async () => {
  const page = await openEntries(await profile(), await startServer('--anonymous-writes=false'))
  const messages = await page.evaluate(async () => {
    const { weft } = window
    const messages: string[] = []
    for (let i = 0; i < 20; i++) {
      const kept = weft.create('the_note', { text: `kept ${i}` })
      // In this pause, saving of the first write starts. The second write is discarded before it begins to be saved.
      await new Promise((resolve) => setTimeout(resolve, 0))
      const discarded = weft.create('the_note', { text: `discarded ${i}` })
      discarded.synced.catch((e) => messages.push(e.message))
      await weft.sync.discard(discarded.key)
      await Promise.all([kept.saved, discarded.saved])
    }
    return messages
  })
  expect(messages).toEqual(Array.from({ length: 20 }, () => 'discarded'))
  const rows = Object.entries(await readDatabases(page)).flatMap(
    ([, stores]) => stores['outbox'] ?? [],
  )
  const texts = JSON.stringify(rows).match(/(discarded|kept) \d+/g) ?? []
  expect([...new Set(texts)]).toEqual(Array.from({ length: 20 }, (_, i) => `kept ${i}`))
  await page.reload()
  await page.waitForFunction(() => window.weft !== undefined)
  await page.evaluate(() => window.weft.ready)
  expect(await page.evaluate(() => window.weft.sync.writes().length)).toBe(20)
})
