import { createClient } from '@weft/client'
import { expect, onTestFinished, test } from 'vitest'
import { UndoList } from '../src/model/undo.ts'
import { setCells } from '../src/records/changes.ts'
import { columnsOf } from '../src/records/columns.ts'
import { emptyType } from '../src/records/empty-type.ts'

test('undoes and redoes in order, and reports each step', async () => {
  const reports: string[] = []
  const steps: string[] = []
  const list = new UndoList((text) => reports.push(text))
  for (const name of ['a', 'b'])
    list.push({
      label: name,
      undo: () => steps.push(`-${name}`),
      redo: () => steps.push(`+${name}`),
    })
  await list.undo()
  await list.undo()
  await list.undo()
  await list.redo()
  expect(steps).toEqual(['-b', '-a', '+a'])
  expect(reports).toEqual(['a', 'b', 'Undone: b', 'Undone: a', 'There is nothing to undo.', 'a'])
  expect(list.get().undone.map(({ label }) => label)).toEqual(['b'])
  list.push({ label: 'c', undo: () => {}, redo: () => {} })
  expect(list.get().undone).toEqual([])
})

test('a change that cannot be undone leaves the list, and the next one can be undone', async () => {
  const reports: string[] = []
  const list = new UndoList((text) => reports.push(text))
  list.push({ label: 'good', undo: () => {}, redo: () => {} })
  const refuse = () => Promise.reject(new Error('the record was deleted'))
  list.push({ label: 'bad', undo: refuse, redo: () => {} })
  await list.undo()
  expect(reports.at(-1)).toBe('Cannot undo: The record was deleted.')
  expect(list.get()).toMatchObject({ done: [{ label: 'good' }], undone: [], status: 'idle' })
  await list.undo()
  expect(list.get().done).toEqual([])
})

test('a step that is requested during another step runs after it', async () => {
  const steps: string[] = []
  const list = new UndoList(() => {})
  const step = (text: string) => async () => {
    await new Promise((resolve) => setTimeout(resolve))
    steps.push(text)
  }
  for (const name of ['a', 'b'])
    list.push({ label: name, undo: step(`-${name}`), redo: step(`+${name}`) })
  await Promise.all([list.undo(), list.undo(), list.redo()])
  expect(steps).toEqual(['-b', '-a', '+a'])
})

test('undo reverts a change that is shown but not saved yet, instead of an older one', async () => {
  const client = createClient({ url: 'http://127.0.0.1:1', storage: 'memory' })
  onTestFinished(() => client.close())
  const undo = new UndoList(() => {})
  const { id } = client.create('the_pen', { name: 'first' })
  const [column] = columnsOf(emptyType('the_pen'), {
    fields: [{ name: 'name', kind: 'text' }],
    links: [],
  })
  if (!column) throw new Error('the type has no column')
  const set = (before: string, text: string) =>
    setCells({ client, undo }, [{ id, column, before: { text: before, links: [] }, text }], text)
  await set('first', 'second')
  const saved = set('second', 'third')
  await Promise.all([saved, undo.undo()])
  expect(client.record(id)).toEqual({ name: 'second' })
  expect(undo.get().done.map(({ label }) => label)).toEqual(['second'])
})
