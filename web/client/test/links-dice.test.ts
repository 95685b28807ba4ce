import { expect, test } from 'vitest'
import { startWeft } from '../../e2e/weft.ts'
import { disconnect, link, readLinks, unlink } from '../src/graph/index.ts'
import type { Client, Id } from '../src/index.ts'
import { internalsOf } from '../src/internals.ts'
import { mulberry } from './dice.ts'
import { open, until } from './open.ts'

// Two clients link and unlink the same people, online and offline. In the end, both clients and the server agree with a
// simple model of all operations.
test.each([1, 2, 3])(
  'random links and unlinks leave the same links everywhere, seed %i',
  async (seed) => {
    const dice = mulberry(seed)
    const roll = (n: number) => Math.floor(dice() * n)
    const server = await startWeft()
    const maker = open(server.url)
    const people = await Promise.all(
      ['Ann', 'Bea', 'Cid', 'Dee'].map((name) => maker.create('the_person', { name }).synced),
    )
    const names = ['the_person_friend', 'the_person_s_pupil']
    const clients = [open(server.url), open(server.url)]
    for (const weft of clients) await Promise.all(people.map((id) => weft.load(id)))

    /** The links of the model, with the clients that created them. A link that was created twice is listed twice. */
    let expectedLinks: { creator: Client; connection: Id; text: string }[] = []
    for (let n = 0; n < 25; n++) {
      const weft = clients[roll(2)] as Client
      const [from, to] = [people[roll(4)] as Id, people[roll(4)] as Id]
      if (from === to) continue
      const name = names[roll(2)] as string
      const text = `${from} ${name} ${to}`
      const kind = roll(6)
      if (kind < 3)
        expectedLinks.push({
          creator: weft,
          connection: link(weft, from, name, to).connection,
          text,
        })
      else if (kind === 3) {
        const own = expectedLinks.filter((l) => l.creator === weft)
        const removed = own[roll(own.length)]
        if (removed) disconnect(weft, removed.connection)
        expectedLinks = expectedLinks.filter((l) => l !== removed)
      } else if (kind === 4) {
        // An offline client does not unlink links of the other client that it has not received yet.
        await waitUntilIdle(clients)
        await (await unlink(weft, from, name, to)).synced
        expectedLinks = expectedLinks.filter((l) => l.text !== text)
      } else {
        await server.kill()
        const source = people[roll(4)] as Id
        const target = people.find((id) => id !== source) as Id
        const { connection } = link(weft, source, name, target)
        expectedLinks.push({ creator: weft, connection, text: `${source} ${name} ${target}` })
        await server.start()
      }
    }
    await waitUntilIdle(clients)
    const expected = expectedLinks.map((l) => l.text).sort()
    for (const weft of [...clients, open(server.url)]) expect(await linksOf(weft)).toEqual(expected)

    async function linksOf(weft: Client): Promise<string[]> {
      const all: string[] = []
      for (const id of people) {
        for (const name of names) {
          const to = await readLinks<Id>(weft, id, name, { format: 'RAW', pageSize: 100 })
          all.push(...to.map((other) => `${id} ${name} ${internalsOf(weft).graph.real(other)}`))
        }
      }
      return all.sort()
    }
  },
)

async function waitUntilIdle(clients: readonly Client[]): Promise<void> {
  for (const weft of clients) {
    weft.sync.retry()
    await until(() => weft.sync.get().pending === 0)
  }
}
