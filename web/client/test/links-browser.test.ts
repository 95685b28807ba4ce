import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { profile } from '../../e2e/browser.ts'
import { wireCutter } from '../../e2e/wire-cutter.ts'
import type {} from './page/links.ts'
import { startServer } from './server.ts'
import { servePages } from './tab.ts'

const pageAt = servePages()

test('links, made with and without a server, are found by name after a reload without one', async () => {
  const cable = await wireCutter(Number(new URL(await startServer()).port))
  const page = await (await profile()).newPage()
  await page.goto(pageAt(`links.html?weft=${encodeURIComponent(cable.url)}`))
  const [ann, bea] = await page.evaluate(async () => {
    const { weft, records } = window
    const [ann, bea] = ['Ann', 'Bea'].map((name) => weft.create('the_person', { name }).id)
    await records.link(weft, ann as number, 'friend', bea as number).synced
    return [ann as number, bea as number] as const
  })
  expect(await read(page, ann, 'the_person_friend')).toEqual(['Bea'])
  cable.cut()
  await page.evaluate(
    async ([ann, bea]) => {
      await window.records.link(window.weft, ann, 'the_person_s_pupil', bea).saved
      await window.records.createData(window.weft, { pets: ['Rex'] }, { of: bea }).saved
    },
    [ann, bea] as const,
  )
  await page.reload()
  await page.evaluate(() => window.weft.ready)
  expect(await read(page, ann, 'the_person_friend')).toEqual(['Bea'])
  expect(await read(page, ann, 's_pupil')).toEqual(['Bea'])
  const data = () =>
    page.evaluate(([bea]) => window.records.readData(window.weft, bea), [bea] as const)
  expect(await data()).toEqual({ the_person: { pets: ['Rex'] } })

  cable.mend()
  await expect
    .poll(() => page.evaluate(() => window.weft.sync.get().state), { timeout: 20_000 })
    .toBe('idle')
  expect(await read(page, ann, 's_pupil')).toEqual(['Bea'])
  expect(await data()).toEqual({ the_person: { pets: ['Rex'] } })
})

/** The names of those that a relation leads to. */
const read = (page: Page, id: number, relation: string): Promise<string[]> =>
  page.evaluate(
    async ([id, name]) => {
      const { weft, records } = window
      const format = 'JUSTDATA'
      type Row = { the_person: { name: string } }
      const rows = await records.relation<Row>(weft, id, name, { format })
      return rows.map((row) => row.the_person.name)
    },
    [id, relation] as const,
  )
