import { describe, expect, test } from 'vitest'
import * as compat from '../src/index.ts'
import { differences } from './differences.ts'
import { loadRecords, type Recording, recordings } from './recorded.ts'
import { openOffline } from './session.ts'

// The recorded writes, in a page whose server is unreachable. Ids are assigned differently, so records are compared by
// their types and values. Unlike in the recordings, each record is listed once, and the words of a type name are not
// listed, because the server creates them.

const { MakeTheInstanceConceptLocal: instance, MakeTheTypeConceptLocal: type } = compat

/** The result of a recorded call, and the actions it collects. */
interface Run {
  readonly result?: unknown
  readonly actions?: Summary
}

type Actions = compat.InnerActions

const runs: Record<string, (actions: Actions, recording: Recording) => Promise<unknown>> = {
  'create-composition-local-array-of-objects': createComposition,
  'create-composition-local-nested': createComposition,
  'create-data-nested': (actions, { args }) => compat.CreateData(args, null, '', actions),
  'create-instance-local-value': (actions) =>
    instance('first_name', 'Harry', false, 10267, 5, 999, 0, actions),
  'create-connection-entity-local': async (actions) => {
    const [person, house] = await personAndHouse()
    await compat.CreateConnectionBetweenEntityLocal(person, house, 'house', actions)
  },
  'create-connection-two-concepts-local-both': async (actions) => {
    const [person, house] = await personAndHouse()
    await compat.CreateConnectionBetweenTwoConceptsLocal(person, house, 'live', true, actions)
  },
  'update-composition-local': (actions) => {
    const patch = { compositionId: 2001, patchObject: { name: 'Bob' } }
    return compat.UpdateCompositionLocal(
      Object.assign(new compat.PatcherStructure(), patch),
      actions,
    )
  },
}

function createComposition(actions: Actions, { args }: Recording): Promise<unknown> {
  return compat.CreateTheCompositionLocal(args, null, null, null, 10267, 4, 999, false, actions)
}

const personAndHouse = () =>
  Promise.all([
    instance('the_person', '', true, 10267, 4),
    instance('the_house', '', true, 10267, 4),
  ])

/** The records of a list of actions, without their ids. */
interface Summary {
  readonly instances: readonly string[]
  readonly links: readonly string[]
}

function summary({ concepts, connections }: NonNullable<Recording['actions']>): Summary {
  const byId = new Map(concepts.map((c) => [c.id, c]))
  const isInstance = (c: any) => c.categoryId === 4
  const text = (c: any) => `${c.typeCharacter}=${c.characterValue}`
  const end = (id: number) => (byId.has(id) ? text(byId.get(id)) : 'another concept')
  const link = (c: any) => {
    const kind = byId.get(c.typeId)
    const name = kind && !isInstance(kind) ? kind.characterValue : end(c.typeId)
    return `${end(c.ofTheConceptId)} -${name}-> ${end(c.toTheConceptId)}`
  }
  return {
    instances: [...new Set(concepts.filter(isInstance).map(text))],
    links: connections.map(link),
  }
}

const recorded = [...recordings('create'), ...recordings('update')]

describe('actions', () => {
  test.each(recorded.filter(({ name }) => name in runs))('$name', async (recording) => {
    openOffline()
    loadRecords(recording)
    const actions: Actions = { concepts: [], connections: [] }
    await runs[recording.name]?.(actions, recording)
    const expected = summary(recording.actions ?? { concepts: [], connections: [] })
    if (recording.name in differences) expect(summary(actions)).not.toEqual(expected)
    else expect(summary(actions)).toEqual(expected)
  })
})

/** Creates two instances and returns the values that the recordings compare. */
async function twice(name: string, value: string): Promise<Run['result']> {
  openOffline()
  const [a, b] = [
    await instance(name, value, false, 1, 4),
    await instance(name, value, false, 1, 4),
  ]
  return { sameId: a.id === b.id }
}

test('values of up to 255 UTF-16 units are reused, longer and empty values are not', async () => {
  expect(await twice('the_text', 'x'.repeat(255))).toEqual({ sameId: true })
  expect(await twice('the_text', 'x'.repeat(256))).toEqual({ sameId: false })
  expect(await twice('the_name', '')).toEqual({ sameId: false })
  expect(await twice('the_name', 'Ann')).toEqual({ sameId: true })
})

test('an unsent composition can be read by its local id', async () => {
  openOffline()
  const recording = recorded.find(({ name }) => name.endsWith('then-read-local')) as Recording
  const main = await compat.CreateTheCompositionLocal(recording.args)
  expect(await compat.GetCompositionLocal(main.id)).toEqual(recording.result.plain)
  const withId = { ...recording.result.withId, id: main.id }
  expect(await compat.GetCompositionLocalWithId(main.id)).toEqual(withId)
})

test('a connection from a concept to itself is not created: its id is 0', async () => {
  openOffline()
  const [person, house] = await personAndHouse()
  const name = await type('the_person_house', 999, 999, 10267)
  const { CreateTheConnectionLocal } = compat
  const made = await CreateTheConnectionLocal(person.id, house.id, name.id, 1000, 'the_x', 10267)
  const none = await CreateTheConnectionLocal(person.id, person.id, name.id, 1000, 'the_x', 10267)
  expect([made.ofTheConceptId, made.toTheConceptId, made.orderId]).toEqual([
    person.id,
    house.id,
    1000,
  ])
  expect([none.id, none.typeId, none.orderId]).toEqual([0, 0, 0])
})

test.each(['address', 'the_person', 'the_person_name'])(
  'the type %s is created once, under its name',
  async (name) => {
    openOffline()
    const actions: Actions = { concepts: [], connections: [] }
    const made = await type(name, 999, 999, 10267, actions)
    expect(made.characterValue).toBe(name)
    expect((await type(name, 999, 999, 10267, actions)).id).toBe(made.id)
    expect(actions.concepts.filter((c) => c.characterValue === name)).toHaveLength(1)
  },
)

test('the concept "the" is fixed', async () => {
  openOffline()
  expect(await type('the', 999, 999, 10267)).toMatchObject({ id: 1, characterValue: 'the' })
})
