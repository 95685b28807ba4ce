import { expect, test } from 'vitest'
import { openSignedIn } from './session.ts'

test('creates, reads, edits and removes a composition', async () => {
  const { CreateTheCompositionLocal, LocalSyncData, ...compat } = await openSignedIn()
  const { GetComposition, GetCompositionWithId, UpdateComposition, PatcherStructure } = compat
  const made = await CreateTheCompositionLocal({
    the_phonebook: { name: 'Ann', phone: 555, tags: ['a', 'b'], active: true },
  })
  expect(made.id).toBeLessThan(0)
  await LocalSyncData.SyncDataOnline()
  const read = await GetCompositionWithId(made.id)
  expect(read.id).toBeGreaterThan(0)
  expect(read.data).toEqual({
    the_phonebook: { name: 'Ann', phone: '555', tags: ['a', 'b'], active: 'true' },
  })
  const patch = Object.assign(new PatcherStructure(), {
    compositionId: read.id,
    patchObject: { name: 'Bob' },
  })
  const updated = await UpdateComposition(patch)
  expect(updated.data.the_phonebook.name).toBe('Bob')
  expect((await GetComposition(read.id)).the_phonebook.name).toBe('Bob')
  expect(await compat.DeleteConceptById(read.id)).toBe(true)
  expect(await GetComposition(read.id)).toEqual({})
})

test('links concepts by type links and legacy linkers, and follows them', async () => {
  const compat = await openSignedIn()
  const person = await compat.MakeTheInstanceConceptLocal('the_person', '', true, 999, 4)
  const name = await compat.MakeTheInstanceConceptLocal('name', 'Ann', false, 999, 4)
  const friend = await compat.CreateTheCompositionLocal({ the_person: { name: 'Bo' } })
  const link = await compat.CreateConnection(person, name, 'the_person_name')
  expect(link.toTheConceptId).toBe(name.id)
  await compat.CreateConnectionBetweenTwoConceptsLocal(person, friend, 'friend')
  await compat.LocalSyncData.SyncDataOnline()
  const [row] = await compat.GetRelation(person.id, 'the_person_name')
  expect(row.data).toEqual({ the_name: 'Ann' })
  expect(row.id).toBeGreaterThan(0)
  const [linked] = await compat.GetLink(person.id, 'friend_s')
  expect(linked.data).toEqual({ the_person: { name: 'Bo' } })
  expect(await compat.DeleteConnectionByType(person.id, 'the_person_name')).toBe(true)
  expect(await compat.GetRelation(person.id, 'the_person_name')).toEqual([])
})

test('online calls return real ids', async () => {
  const compat = await openSignedIn()
  const person = await compat.MakeTheInstanceConcept('the_person', '', true, 999)
  const name = await compat.MakeTheInstanceConcept('name', 'Ann', false, 999)
  expect([person.id > 0, name.id > 0, name.type.characterValue]).toEqual([true, true, 'the_name'])
  const type = await compat.MakeTheTypeConceptApi('the_person_name', 999)
  const link = await compat.CreateTheConnectionGeneral(person.id, 999, name.id, type.id, 1000)
  expect(link.id).toBeGreaterThan(0)
  await compat.SyncData.SyncDataOnline()
  const made = await compat.CreateComposition({ the_room: { label: 'Hall' } })
  expect(made.id).toBeGreaterThan(0)
  expect(await compat.GetCompositionList('the_room', 999)).toEqual([])
})

test('a schema query listener follows new records and edits until it is unsubscribed', async () => {
  const compat = await openSignedIn()
  const query = Object.assign(new compat.FreeschemaQuery(), {
    type: 'the_item',
    selectors: ['the_item_name'],
    outputFormat: compat.DATAID,
  })
  const results: any[] = []
  const subscription = await compat.SchemaQueryListener(query, '').subscribe((rows: any) => {
    results.push(rows)
  })
  expect(results).toEqual([[]])
  const item = await compat.MakeTheInstanceConceptLocal('the_item', '', true, 999, 4)
  const pen = await compat.MakeTheInstanceConceptLocal('the_name', 'Pen', false, 999, 4)
  await compat.CreateConnection(item, pen, 'the_item_name')
  await compat.LocalSyncData.SyncDataOnline()
  await expect
    .poll(() => results.at(-1)[0]?.data.the_item.the_item_name?.data)
    .toEqual({ the_name: 'Pen' })
  await expect.poll(() => results.at(-1)[0].id).toBeGreaterThan(0)
  subscription.unsubscribe()
  const count = results.length
  await compat.MakeTheInstanceConcept('the_item', '', true, 999)
  expect(results).toHaveLength(count)
})

test('a transaction is sent as one request, and a rollback leaves nothing', async () => {
  const compat = await openSignedIn()
  const transaction = new compat.LocalTransaction()
  await transaction.initialize()
  const item = await transaction.MakeTheInstanceConceptLocal('the_item', '', true, 999, 4)
  const pen = await transaction.MakeTheInstanceConceptLocal('the_name', 'Pen', false, 999, 4)
  await transaction.CreateConnection(item, pen, 'the_item_name')
  expect(transaction.actions.connections).toHaveLength(1)
  await transaction.commitTransaction()
  expect((await compat.GetTheConcept(item.id)).id).toBeGreaterThan(0)
  await expect(transaction.CreateConnection(item, pen, 'x')).rejects.toThrow(
    'Query Transaction Expired',
  )
  const undone = new compat.LocalTransaction()
  await undone.initialize()
  const lost = await undone.MakeTheInstanceConceptLocal('the_name', 'Cup', false, 999, 4)
  await undone.rollbackTransaction()
  expect((await compat.GetTheConcept(lost.id)).id).toBe(0)
})

test('a change to a record of an open transaction is sent after the commit, and calls do not wait for the commit', async () => {
  const compat = await openSignedIn()
  const transaction = new compat.LocalTransaction()
  await transaction.initialize()
  const item = await transaction.MakeTheInstanceConceptLocal('the_item', '', true, 999, 4)
  const pen = await transaction.MakeTheInstanceConceptLocal('the_name', 'Pen', false, 999, 4)
  await transaction.CreateConnection(item, pen, 'the_item_name')
  expect(await compat.DeleteConnectionByType(item.id, 'the_item_name')).toBe(true)
  await compat.LocalSyncData.SyncDataOnline()
  expect(await compat.GetRelationLocal(item.id, 'the_item_name', 999)).toEqual([])
  expect(compat.LocalSyncData.conceptsSyncArray.map(({ id }) => id)).toContain(item.id)
  await transaction.commitTransaction()
  await compat.LocalSyncData.SyncDataOnline()
  expect(compat.LocalSyncData.conceptsSyncArray).toEqual([])
  expect(await compat.GetRelation(item.id, 'the_item_name')).toEqual([])
})

test('prototypes and nested data are written', async () => {
  const compat = await openSignedIn()
  const prototype = Object.assign(new compat.Prototype(), {
    prototype: 'the_person',
    required: ['the_name'],
  })
  const { mainConcept, connections } = await compat.createPrototypeLocal(prototype)
  expect([mainConcept.characterValue, connections.length]).toEqual(['the_person', 1])
  const person = await compat.CreateData({ person: { name: 'Ann', address: { city: 'Oslo' } } })
  await compat.LocalSyncData.SyncDataOnline()
  const [name] = await compat.GetRelation(person.id, 'the_person_name')
  expect(name.data).toEqual({ the_name: 'Ann' })
})

test('members are replaced by values and by nested records', async () => {
  const compat = await openSignedIn()
  const made = await compat.CreateTheCompositionLocal({
    the_phonebook: { name: 'Ann', phone: '555', address: { city: 'Rome', zip: 1 } },
  })
  await compat.LocalSyncData.SyncDataOnline()
  const patch = (patchObject: object) =>
    Object.assign(new compat.PatcherStructure(), { compositionId: made.id, patchObject })
  const renamed = await compat.UpdateComposition(patch({ name: 'Bob' }))
  const address = { city: 'Rome', zip: '1' }
  expect(renamed.data).toEqual({ the_phonebook: { name: 'Bob', phone: '555', address } })
  const moved = await compat.UpdateComposition(patch({ address: { city: 'Oslo' } }))
  expect(moved.data.the_phonebook.address).toEqual({ city: 'Oslo' })
})

test('a sync resolves with the concepts that it sent, which have their real ids', async () => {
  const compat = await openSignedIn()
  const actions = { concepts: [], connections: [] }
  const main = await compat.CreateTheCompositionLocal(
    { the_phonebook: { name: 'Ann' } },
    ...([null, null, null, 999, 4, 999, false] as const),
    actions,
  )
  const sent = await compat.LocalSyncData.SyncDataOnline(undefined, actions)
  expect(sent.every((c: any) => c.id > 0)).toBe(true)
  const found = sent.find((c: any) => c.ghostId === main.id)
  expect(found).toMatchObject({ typeCharacter: 'the_phonebook', isComposition: true })
  const byLocalId = await compat.GetTheConceptLocal(main.id)
  expect(byLocalId.id).toBe(found.id)
  expect(compat.LocalSyncData.conceptsSyncArray).toEqual([])
})

test('a value of 256 characters is stored whole', async () => {
  const compat = await openSignedIn()
  const long = 'y'.repeat(256)
  const { id } = await compat.MakeTheInstanceConcept('the_name', long, false, 999)
  expect(id).toBeGreaterThan(0)
  expect((await compat.GetTheConcept(id)).characterValue).toBe(long)
})

test('legacy links have a reverse link and counts on request', async () => {
  const compat = await openSignedIn()
  const person = await compat.MakeTheInstanceConcept('the_person', '', true, 999)
  const house = await compat.MakeTheInstanceConcept('the_house', '', true, 999)
  const { CreateConnectionBetweenTwoConcepts, GetLinkRaw } = compat
  await CreateConnectionBetweenTwoConcepts(person, house, 'live', true, true)
  expect((await GetLinkRaw(person.id, 'live_s')).map((c) => c.id)).toEqual([house.id])
  expect((await GetLinkRaw(house.id, 'live_by')).map((c) => c.id)).toEqual([person.id])
  const [count] = await GetLinkRaw(person.id, 'live_s_count')
  expect(count?.characterValue).toBe('1')
})

test('a connection to an unsent concept is refused with the status 400', async () => {
  const compat = await openSignedIn()
  const [a, b] = [
    await compat.MakeTheInstanceConcept('the_person', '', true, 999),
    await compat.MakeTheInstanceConcept('the_house', '', true, 999),
  ]
  const made = await compat.CreateTheConnectionGeneral(a.id, 999, b.id, a.id)
  expect([made.ofTheConceptId, made.toTheConceptId, made.orderId]).toEqual([a.id, b.id, 1])
  await expect(compat.CreateTheConnectionGeneral(-5, 999, b.id, a.id)).rejects.toMatchObject({
    message: 'cannot create connection because id are negative ',
    status: 400,
  })
})

test('connections are removed by their ids; a refused removal returns false', async () => {
  const compat = await openSignedIn()
  const person = await compat.MakeTheInstanceConcept('the_person', '', true, 999)
  const name = await compat.MakeTheInstanceConcept('name', 'Ann', false, 999)
  const links = [
    await compat.CreateConnection(person, name, 'the_person_name'),
    await compat.CreateConnection(person, name, 'the_person_nick'),
  ]
  await compat.LocalSyncData.SyncDataOnline()
  const [first, second] = await compat.GetLinkerConnectionFromConcepts(person.id)
  expect(await compat.DeleteConnectionById(first?.id ?? 0)).toBe(true)
  expect(await compat.DeleteConnectionByIdBulk([second?.id ?? 0, links[1].id])).toBe(true)
  expect(await compat.GetLinkerConnectionFromConcepts(person.id)).toEqual([])
})

test('a recursive search returns ids, and the compositions that contain the text', async () => {
  const compat = await openSignedIn()
  const book = await compat.CreateComposition({ the_phonebook: { name: 'Ann', phone: '555' } })
  const found = await compat.RecursiveSearchApi(book.id, [], 'Ann')
  expect(found.map((row: any) => row.data)).toEqual([
    { the_phonebook: { name: 'Ann', phone: '555' } },
  ])
  let raw: any
  const listener = compat.RecursiveSearchListener(book.id, [], 'Ann', compat.RAW)
  await listener.subscribe((data: any) => {
    raw = data
  })
  expect(raw.compositionIds).toEqual([book.id])
  expect(raw.internalConnections).toHaveLength(2)
})

test('a message to the worker rejects with its type, and a program runs the call itself', async () => {
  const { handleServiceWorkerException, sendMessage, ...compat } = await openSignedIn()
  expect(await sendMessage('init', {})).toBe(null)
  expect(await sendMessage('updateAccessToken', { accessToken: 'x' })).toBe(null)
  const call = async () => {
    try {
      return await sendMessage('CreateTheCompositionLocal', { json: { the_note: { text: 'a' } } })
    } catch (error) {
      handleServiceWorkerException(error)
      return compat.CreateTheCompositionLocal({ the_note: { text: 'a' } })
    }
  }
  await expect(sendMessage('GetTheConcept', { id: 1 })).rejects.toThrow(
    'No service worker call GetTheConcept',
  )
  expect(await compat.GetComposition((await call()).id)).toEqual({ the_note: { text: 'a' } })
  const refused = Object.assign(new Error('refused'), { status: 401 })
  expect(() => handleServiceWorkerException(refused)).toThrow('refused')
})

test('Anomaly has every function that it lists', async () => {
  const { Anomaly } = await openSignedIn()
  const names = Anomaly.getExportedFunction()
  expect(names).toEqual(['checkConceptAnomaly', 'checkAnomalyInBulk', 'detectDataType'])
  const anomaly = new Anomaly() as unknown as Record<string, unknown>
  const offered = Anomaly as unknown as Record<string, unknown>
  for (const name of names) expect(typeof (anomaly[name] ?? offered[name])).toBe('function')
  const types = ['5', '5.5', 'abc', 'a@b.co', '12:30', '2025-01-01', ''].map((value) =>
    new Anomaly().detectDataType(value),
  )
  expect(types).toEqual(['number', 'number', 'text', 'text', 'text', 'text', 'text'])
  const unknown = await new Anomaly().checkConceptAnomaly('zip', '1')
  expect(unknown).toEqual({
    valid: false,
    warnings: ['No concept details found for type: the_zip'],
  })
})
