import { expect, test } from 'vitest'
import { openOffline, openSignedIn } from './session.ts'

type Compat = Awaited<ReturnType<typeof openSignedIn>>

/** Creates items, each with a name, and waits for the server. */
async function makeItems(compat: Compat, ...names: string[]): Promise<number[]> {
  const ids: number[] = []
  for (const name of names) {
    const item = await compat.MakeTheInstanceConceptLocal('the_item', '', true, 999, 4)
    const value = await compat.MakeTheInstanceConceptLocal('the_name', name, false, 999, 4)
    await compat.CreateConnection(item, value, 'the_item_name')
    ids.push(item.id)
  }
  await compat.LocalSyncData.SyncDataOnline()
  return ids
}

const itemQuery = (compat: Compat, members: object = {}) =>
  Object.assign(new compat.FreeschemaQuery(), {
    type: 'the_item',
    selectors: ['the_item_name'],
    outputFormat: compat.NORMAL,
    ...members,
  })

const namesIn = (rows: any[]) => rows.map((row) => row.the_item.the_item_name?.the_name)

test('the promise of a subscription and its value have a method unsubscribe', async () => {
  const compat = await openSignedIn()
  const listener = compat.SchemaQueryListener(itemQuery(compat), '')
  let calls = 0
  const promise = listener.subscribe(() => calls++)
  expect(typeof promise.unsubscribe).toBe('function')
  const { unsubscribe } = await promise
  unsubscribe()
  expect([calls, listener.subscribers.length]).toEqual([1, 0])
})

test('update asks the server again with the current query', async () => {
  const compat = await openSignedIn()
  await makeItems(compat, 'Pen', 'Cup')
  const query = itemQuery(compat, { inpage: 1 })
  const listener = compat.SchemaQueryListener(query, '')
  const seen: unknown[] = []
  await listener.subscribe((rows: any[]) => seen.push(namesIn(rows)))
  query.page = 2
  await listener.update()
  expect(seen).toEqual([['Cup'], ['Pen']])
  expect(listener.totalCount).toBe(2)
})

test('a refused query calls the error callback, and rejects', async () => {
  const compat = await openSignedIn()
  const query = itemQuery(compat, { filterLogic: '( a AND', filters: [{ name: 'a', search: 'x' }] })
  const errors: any[] = []
  const started = compat.SchemaQueryListener(query, '').subscribe(
    () => {},
    (error: Error) => errors.push(error),
  )
  await expect(started).rejects.toMatchObject({ ok: false, status: 400 })
  expect(errors).toHaveLength(1)
})

test('a removed link and a removed record leave no row', async () => {
  const compat = await openSignedIn()
  const [pen = 0, cup = 0] = await makeItems(compat, 'Pen', 'Cup')
  let rows: any[] = []
  await compat.SchemaQueryListener(itemQuery(compat), '').subscribe((data: any[]) => {
    rows = data
  })
  expect(namesIn(rows)).toEqual(['Cup', 'Pen'])
  await compat.DeleteConnectionByType(cup, 'the_item_name')
  await expect.poll(() => namesIn(rows)).toEqual([undefined, 'Pen'])
  await compat.DeleteConceptById(pen)
  await expect.poll(() => rows).toHaveLength(1)
})

test('all listeners of a query get the new answer', async () => {
  const compat = await openSignedIn()
  const seen: Record<string, unknown> = {}
  for (const name of ['first', 'second'])
    await compat.SchemaQueryListener(itemQuery(compat), '').subscribe((rows: any[]) => {
      seen[name] = namesIn(rows)
    })
  await makeItems(compat, 'Pen')
  await expect.poll(() => seen).toEqual({ first: ['Pen'], second: ['Pen'] })
})

test('without a server a query is answered from the page', async () => {
  const compat = openOffline()
  const item = await compat.MakeTheInstanceConceptLocal('the_item', '', true, 999, 4)
  const rows: any = await compat.SchemaQuery(itemQuery(compat, { outputFormat: compat.DATAID }), '')
  expect(rows.map((row: any) => row.id)).toEqual([item.id])
})

test('listeners of compositions, lists and links follow changes', async () => {
  const compat = await openSignedIn()
  const me = await compat.CreateTheCompositionLocal({ the_person: { name: 'Ann' } })
  const friend = await compat.CreateTheCompositionLocal({ the_person: { name: 'Bo' } })
  await compat.CreateConnectionBetweenTwoConceptsLocal(me, friend, 'friend')
  await compat.LocalSyncData.SyncDataOnline()
  const { id } = await compat.GetCompositionWithId(me.id)
  const owner = (await compat.GetTheConcept(me.id)).userId
  const seen: { one?: any; list?: any; links?: any } = {}
  const keep = (name: keyof typeof seen) => (data: any) => {
    seen[name] = data
  }
  await compat.GetCompositionListener(id).subscribe(keep('one'))
  await compat.GetCompositionListListener('the_person', owner, 10, 1).subscribe(keep('list'))
  await compat.GetLinkListener(id, 'friend_s', 10, 1, compat.JUSTDATA).subscribe(keep('links'))
  expect(seen.one).toEqual({ the_person: { name: 'Ann' } })
  expect(seen.list.map((row: any) => row.the_person.name)).toEqual(['Ann', 'Bo'])
  expect(seen.links).toEqual([{ the_person: { name: 'Bo' } }])
  const patch = { compositionId: id, patchObject: { name: 'Anna' } }
  await compat.UpdateComposition(Object.assign(new compat.PatcherStructure(), patch))
  await expect.poll(() => seen.one.the_person.name).toBe('Anna')
  await expect.poll(() => seen.list[0].the_person.name).toBe('Anna')
  const other = await compat.CreateTheCompositionLocal({ the_person: { name: 'Cy' } })
  await compat.CreateConnectionBetweenTwoConceptsLocal(me, other, 'friend')
  await expect.poll(() => seen.links.length).toBe(2)
})

test('searches along linkers return compositions with their linked records', async () => {
  const compat = await openSignedIn()
  const room = await compat.CreateTheCompositionLocal({ the_room: { label: 'Hall' } })
  const chair = await compat.CreateTheCompositionLocal({ the_chair: { legs: 4 } })
  await compat.CreateConnection(room, chair, 'the_room_s_chair')
  await compat.LocalSyncData.SyncDataOnline()
  const query = Object.assign(new compat.SearchQuery(), {
    composition: room.id,
    fullLinkers: ['the_room_s_chair'],
  })
  const found = await compat.SearchLinkMultipleAll([query])
  expect(found.data.the_room.the_room_s_chair[0].data).toEqual({ the_chair: { legs: '4' } })
  let live: any
  const listener = compat.searchLinkMultipleListener([query])
  await listener.subscribe((data: any) => {
    live = data
  })
  expect(live).toEqual(found)
})
