import { expect, onTestFinished, test } from 'vitest'
import type { Client, Id, LiveQuery } from '../src/index.ts'
import { internalsOf } from '../src/internals.ts'
import { open, until } from './open.ts'
import { startServer } from './server.ts'

const concepts = '/api/get_concept_bulk'
const connections = '/api/get_connection_bulk'

const notes = { type: 'the_note', selectors: ['self'], pageSize: 1_000 }

test('a list shows no record before its fields, even if the connections arrive last', async () => {
  const url = await startServer()
  const writer = open(url)
  await createNotes(writer, ['whole', 'whole'])
  const { weft, hold, count } = await clientWithHeldResponses(url, typeOfNotes(writer))
  const release = hold(connections, 1)
  const seen = observe(weft.query<Row>(notes))
  await until(() => count(connections) === 1)
  await weft.fetch('/api/health')
  release()
  await until(() => seen.at(-1)?.length === 2)
  expect(withPartsMissing(seen)).toEqual([])
  // The records arrive with the concepts at the other ends of their connections.
  expect([connections, concepts].map(count)).toEqual([1, 1])
})

test('a list shows no record before its fields, even if another query fetches one of the fields', async () => {
  const url = await startServer()
  const writer = open(url)
  await createNotes(writer, ['whole', 'whole'])
  const shared = idOfText(writer, 'whole')
  const { weft, hold, count } = await clientWithHeldResponses(url, typeOfNotes(writer))
  const release = hold(concepts, 1)
  const value = weft.get(shared)
  await until(() => count(concepts) === 1)
  const seen = observe(weft.query<Row>(notes))
  await until(() => count(concepts) === 2)
  await weft.fetch('/api/health')
  expect(seen).toEqual([])
  release()
  await until(() => seen.at(-1)?.length === 2)
  expect(withPartsMissing(seen)).toEqual([])
  expect(await value).toMatchObject({ value: 'whole' })
})

test('a list that takes several requests shows all its records at the same time', async () => {
  const url = await startServer()
  const writer = open(url)
  await createNotes(
    writer,
    Array.from({ length: 700 }, (_, i) => `note ${i}`),
  )
  const { weft, hold, count } = await clientWithHeldResponses(url, typeOfNotes(writer))
  const release = hold(concepts, 1)
  const seen = observe(weft.query<Row>(notes))
  await until(() => count(concepts) === 2)
  await weft.fetch('/api/health')
  release()
  await until(() => seen.at(-1)?.length === 700)
  expect(withPartsMissing(seen)).toEqual([])
})

interface Row {
  readonly data: { readonly the_note: { readonly text?: { readonly data: { the_text: string } } } }
}

async function createNotes(weft: Client, texts: readonly string[]): Promise<void> {
  await Promise.all(texts.map((text) => weft.create('the_note', { text }).synced))
}

/** Returns the server's id of the text of a note. */
const idOfText = (weft: Client, text: string): Id =>
  weft.realId(weft.find('the_text', text)?.id ?? 0) ?? 0

/**
 * Subscribes to a query until the test ends. Returns the texts of the notes in all states so far; `''` for a note
 * without a text.
 */
function observe(query: LiveQuery<Row>): string[][] {
  const seen: string[][] = []
  const read = () => {
    const state = query.get()
    if (state.status !== 'ready') return
    seen.push(state.data.map((row) => row.data.the_note.text?.data.the_text ?? ''))
  }
  onTestFinished(query.subscribe(read))
  return seen
}

/** Returns the states that lack a record of the last state, or a part of a record. */
const withPartsMissing = (seen: readonly string[][]): string[][] =>
  seen.filter((texts) => texts.includes('') || texts.length < (seen.at(-1)?.length ?? 0))

/** Returns the server's id of the type of notes. */
const typeOfNotes = (weft: Client): Id => {
  const { graph } = internalsOf(weft)
  return graph.real(graph.type('the_note') ?? 0)
}

/**
 * Opens a client whose responses the test can hold back and count by path. The client first loads the type of notes,
 * because a list is notified of records only if their type is loaded.
 */
async function clientWithHeldResponses(url: string, type: Id) {
  const weft = open(url)
  await weft.get(type)
  const paths: string[] = []
  const held = new Map<string, Promise<void>>()
  const count = (path: string) => paths.filter((p) => p === path).length
  internalsOf(weft).http.fetch = async (input, init) => {
    const { pathname } = new URL(String(input))
    const response = await fetch(input, init)
    paths.push(pathname)
    await held.get(`${pathname} ${count(pathname)}`)
    return response
  }
  /**
   * Holds back the response to the nth request to a path, counted from 1. Returns a function that releases the
   * response.
   */
  const hold = (path: string, number: number): (() => void) => {
    let release = () => {}
    held.set(`${path} ${number}`, new Promise((resolve) => (release = resolve)))
    return release
  }
  return { weft, hold, count }
}
