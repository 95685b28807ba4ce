import { expect, test } from 'vitest'
import { startWeft } from '../../e2e/weft.ts'
import type { Client, Id } from '../src/index.ts'
import { insideOf } from '../src/inside.ts'
import { disconnect, link, relation, unlink } from '../src/records/index.ts'
import { mulberry } from './dice.ts'
import { open, until } from './open.ts'

// Two clients link and unlink the same people, with and without a server. In the end everybody says what a list of
// all that was done says.
test.each([1, 2, 3])('seed %i', { timeout: 60_000 }, async (seed) => {
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

  /** Each link that is there, as many times as it was made, for the client that made it. */
  let made: { of: Client; connection: Id; text: string }[] = []
  for (let n = 0; n < 25; n++) {
    const weft = clients[roll(2)] as Client
    const [from, to] = [people[roll(4)] as Id, people[roll(4)] as Id]
    if (from === to) continue
    const name = names[roll(2)] as string
    const text = `${from} ${name} ${to}`
    const kind = roll(6)
    if (kind < 3) made.push({ of: weft, connection: link(weft, from, name, to).connection, text })
    else if (kind === 3) {
      const own = made.filter((l) => l.of === weft)
      const gone = own[roll(own.length)]
      if (gone) disconnect(weft, gone.connection)
      made = made.filter((l) => l !== gone)
    } else if (kind === 4) {
      // What others wrote and nobody was told of is not unlinked without a server.
      await idle(clients)
      await (await unlink(weft, from, name, to)).synced
      made = made.filter((l) => l.text !== text)
    } else {
      await server.kill()
      const late = people[roll(4)] as Id
      const other = people.find((id) => id !== late) as Id
      const { connection } = link(weft, late, name, other)
      made.push({ of: weft, connection, text: `${late} ${name} ${other}` })
      await server.start()
    }
  }
  await idle(clients)
  const want = made.map((l) => l.text).sort()
  for (const weft of [...clients, open(server.url)]) expect(await told(weft)).toEqual(want)

  async function told(weft: Client): Promise<string[]> {
    const all: string[] = []
    for (const id of people) {
      for (const name of names) {
        const to = await relation<Id>(weft, id, name, { format: 'RAW', pageSize: 100 })
        all.push(...to.map((other) => `${id} ${name} ${insideOf(weft).graph.real(other)}`))
      }
    }
    return all.sort()
  }
})

async function idle(clients: readonly Client[]): Promise<void> {
  for (const weft of clients) {
    weft.sync.retry()
    await until(() => weft.sync.get().pending === 0)
  }
}
