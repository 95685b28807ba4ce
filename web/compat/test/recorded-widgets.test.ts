import { expect, test } from 'vitest'
import { formatAnswer } from '../src/schema-query.ts'
import { buildTree } from '../src/widgets/read-tree.ts'
import { encode, loadRecords, type Recording, recordings } from './recorded.ts'
import { openOffline } from './session.ts'

// Formats the recorded answers for stored widgets as rows and reads them as trees.

/** Returns the rows of a recorded answer. */
function rowsOf({ response }: Recording): any[] {
  const { linkers, reverse, mainCompositionIds } = response
  const ids = { linkers, reverse, conceptIds: [], compositionIds: mainCompositionIds }
  return formatAnswer({ ...ids, countInfos: [], order: 'DESC' }, 2)
}

const [rows, tree] = [
  recordings('widget').filter(({ name }) => name.endsWith('BuildWidgetFromId')),
  recordings('widget').filter(({ name }) => /-(get|import)/.test(name)),
]

test.each(rows)('$name', (recording) => {
  openOffline()
  loadRecords(recording)
  expect(rowsOf(recording)).toEqual(recording.result)
})

test.each(tree)('$name', async (recording) => {
  openOffline()
  loadRecords(recording)
  const read = await buildTree({ rows: rowsOf(recording) }, recording.response.mainId ?? 2001)
  expect(withoutEmpty(encode(read))).toEqual(withoutEmpty(recording.result))
})

/** Leaves out members without a value, which the recordings list in several ways. */
function withoutEmpty(value: any): any {
  if (Array.isArray(value)) return value.map(withoutEmpty)
  if (typeof value !== 'object' || value === null) return value
  const empty = new Set(['__undefined__', '__NaN__', 0, false])
  const members = Object.entries(value).filter(
    ([, member]) => !empty.has(member as string) && !(Array.isArray(member) && member.length === 0),
  )
  return Object.fromEntries(members.map(([key, member]) => [key, withoutEmpty(member)]))
}
