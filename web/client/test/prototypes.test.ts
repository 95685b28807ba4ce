import { expect, test } from 'vitest'
import { allConnections, createPrototype, type Prototype, readLinks } from '../src/graph/index.ts'
import type { Client, Id } from '../src/index.ts'
import { internalsOf } from '../src/internals.ts'
import { offlineClient, open } from './open.ts'
import { startServer } from './server.ts'
import { refusal, vectors } from './vectors.ts'

for (const { name, given, want, invalid } of vectors('prototype'))
  test(name, () => {
    const weft = offlineClient()
    const make = () => createPrototype(weft, given as Prototype)
    if (invalid) expect(refusal(make)).toBe(invalid)
    else expect(createdLinks(weft, make().id)).toEqual(want)
  })

/** Describes the prototype and its links: each concept by kind, type and text. */
function createdLinks(weft: Client, id: Id) {
  const [write] = internalsOf(weft).outbox.pending.mutations()
  const links = write?.connections.map((c) => [
    describeConcept(weft, c.from),
    weft.concept(c.type)?.value,
    describeConcept(weft, c.to),
  ])
  return { main: describeConcept(weft, id), links }
}

function describeConcept(weft: Client, id: Id): string {
  const c = weft.concept(id)
  const kind = c?.category === 5124 ? 'prototype' : c?.composition ? 'composition' : 'value'
  const type = weft.concept(c?.type ?? 0)?.value
  return c?.category === 1 ? `type ${c.value}` : [kind, type, c?.value].join(' ').trim()
}

test('a prototype, its children and its types are the same on the server', async () => {
  const url = await startServer()
  const weft = open(url)
  const child = { prototype: 'the_address', required: ['the_city'] }
  const { synced } = createPrototype(weft, {
    prototype: 'person',
    required: ['name'],
    optional: ['the_age'],
    childPrototypes: [child],
  })
  const real = await synced
  const other = open(url)
  expect(await other.get(real)).toMatchObject({ value: 'the_person', category: 5124 })
  const links = await allConnections(other, real)
  const ends = links.map((c) => [
    other.concept(c.type)?.value,
    other.concept(c.to)?.value,
    other.concept(c.to)?.category,
    c.order,
  ])
  expect(ends).toEqual([
    ['the_prototype_of_the_person_requires', 'the_name', 1, 1000],
    ['the_prototype_of_the_person_optional', 'the_age', 1, 1000],
    ['the_prototype_of_the_person_requires_the_composition', 'the_address', 5124, 1000],
  ])
  const inner = links[2]?.to ?? 0
  const required = 'the_prototype_of_the_address_requires'
  expect(await readLinks(other, inner, required, { format: 'RAW' })).toHaveLength(1)
})
