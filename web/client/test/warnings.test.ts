import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { createClient, type Query } from '../src/index.ts'
import { until, watch } from './open.ts'
import { startServer } from './server.ts'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
})

test.each<[what: string, query: Query, warnings: string[]]>([
  ['a correct query', { type: 'the_note', selectors: ['self'] }, []],
  [
    'a filter without a logic',
    { type: 'the_note', filters: [{ name: 'a', type: 'the_text', search: 'x' }] },
    ['filter "a" has no effect: the logic does not name it'],
  ],
  [
    'a logic that names no filter',
    {
      type: 'the_note',
      hops: [{ connection: 'self', name: 'in' }],
      filters: [{ name: 'a', on: 'in', type: 'the_text', search: 'x' }],
      logic: 'NOT (a OR b) AND b',
    },
    ['the logic names "b", but there is no such filter'],
  ],
  ['an unknown type', { type: 'the_notes' }, ['the query names the_notes, an unknown type']],
  [
    'a type without its prefix',
    { type: 'note', selectors: ['the_note_s_tag'] },
    [
      'the query names the_note_s_tag, an unknown type',
      'the query names note; did you mean the_note?',
    ],
  ],
  [
    'unknown types in hops and filters',
    {
      type: 'the_note',
      hops: [{ connection: 'the_note_by', name: 'by', hops: [{ connection: 'self', name: 'in' }] }],
      filters: [
        { name: 'a', on: 'in', type: 'the_nam', search: 'x' },
        { name: 'b', type: 'type_concept', search: 'the_nota' },
        { name: 'c', type: 'id', op: '>', search: '7' },
      ],
      logic: 'a AND b AND c',
    },
    [
      'the query names the_note_by, an unknown type',
      'the query names the_nam, an unknown type',
      'the query names the_nota, an unknown type',
    ],
  ],
])('%s causes the expected warnings once', async (_, query, expected) => {
  const url = await startServer()
  const warnings: string[] = []
  const weft = open(url, (message) => warnings.push(message))
  await weft.create('the_note', { text: 'x' }).synced
  for (let time = 0; time < 2; time++) {
    const live = weft.query(query)
    watch(live)
    await until(() => live.get().status === 'ready')
    await live.refresh()
  }
  await expect.poll(() => warnings).toEqual(expected)
})

test.each([
  ['NODE_ENV is development', 'development', 'example.org', true],
  ['NODE_ENV is production', 'production', 'localhost', false],
  ['NODE_ENV is test', 'test', 'localhost', false],
  ['the page is served by this computer', undefined, 'localhost', true],
  ['the page is served by another computer', undefined, 'example.org', false],
])('the default prints warnings during development only: %s', async (_, mode, hostname, isOn) => {
  vi.stubEnv('NODE_ENV', mode)
  vi.stubGlobal('location', { hostname, href: `http://${hostname}/` })
  const print = vi.spyOn(console, 'warn').mockImplementation(() => {})
  onTestFinished(() => print.mockRestore())
  const weft = open(await startServer())
  const live = weft.query({ type: 'the_nothing' })
  watch(live)
  await until(() => live.get().status === 'ready')
  const printed = print.mock.calls.flat()
  if (isOn)
    await expect
      .poll(() => print.mock.calls)
      .toEqual([['weft: the query names the_nothing, an unknown type']])
  else expect(printed).toEqual([])
})

function open(url: string, onWarning?: (message: string) => void) {
  const client = createClient({ url, storage: 'memory', onWarning })
  onTestFinished(() => client.close())
  return client
}
