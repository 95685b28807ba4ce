import { expect, onTestFinished, test } from 'vitest'
import { startWeft } from '../../e2e/weft.ts'
import { createClient, type Id } from '../src/index.ts'
import { begin } from '../src/transaction/index.ts'

test('a list that an open transaction changes becomes complete when the transaction ends', async () => {
  const { url } = await startWeft()
  const client = createClient({ url, storage: 'memory' })
  onTestFinished(() => client.close())
  await client.create('the_note', { text: 'kept' }).synced
  const list = client.query<{ readonly id: Id }>({ type: 'the_note', selectors: ['self'] })
  onTestFinished(list.subscribe(() => {}))
  const shown = () => {
    const state = list.get()
    return state.status === 'ready' ? [state.data.length, state.complete] : state
  }
  await expect.poll(shown).toEqual([1, true])

  begin(client).create('the_note', { text: 'abandoned' })
  await expect.poll(shown).toEqual([2, false])
  await list.refresh()
  expect(shown()).toEqual([2, false])
  expect(client.sync.get()).toMatchObject({ pending: 0, held: 1, state: 'idle' })

  const [open] = client.sync.writes()
  await begin(client, open?.held).rollback()
  await expect.poll(shown).toEqual([1, true])
})
