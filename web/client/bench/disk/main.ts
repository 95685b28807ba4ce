import { createClient } from '../../src/index.ts'
import { Storage } from '../../src/store/storage.ts'
import { mainOf, makeData } from '../data.ts'

declare global {
  interface Window {
    /** Fills the cache as answers of the server do. */
    fill(): Promise<void>
    /** Fills it as a page does that writes it anew. */
    fillAtOnce(): Promise<void>
    /** Opens a client; in ms, until each thing was there. */
    start(): Promise<Record<string, number>>
    /** Writes 10,000 small records in one task. */
    write(): Promise<Record<string, number>>
  }
}

// Nobody listens at this address: all there is to see is what the disk has.
const url = 'http://127.0.0.1:9'
const query = { type: 'the_note', selectors: ['self'], pageSize: 100 }

window.fill = () => fill(1_000)
window.fillAtOnce = () => fill(100_000)

async function fill(size: number): Promise<void> {
  const storage = new Storage(`weft ${url} bench`)
  await storage.load(undefined)
  const { concepts, connections } = makeData()
  for (let i = 0; i < concepts.length; i += size) {
    storage.cache({
      concepts: concepts.slice(i, i + size),
      connections: connections.slice(i, i + size),
    })
    await new Promise((done) => setTimeout(done))
  }
  const roots = Array.from({ length: 100 }, (_, i) => mainOf(i))
  const inside = new Set(roots)
  const links = connections.filter((c) => inside.has(c.type)).map((c) => c.id)
  const answer = { roots, links, reverse: [], counts: [], total: 10_000, order: 'DESC' } as const
  storage.remember(JSON.stringify(query), answer)
  await new Promise((done) => setTimeout(done, 1_000))
  storage.close()
  await new Promise((done) => setTimeout(done, 1_000))
}

window.start = async () => {
  const begin = performance.now()
  const weft = createClient({ url, application: 'bench' })
  const notes = weft.query(query)
  const answered = new Promise<number>((done) => {
    notes.subscribe(() => {
      const state = notes.get()
      if (state.status === 'ready' && state.data.length === 100) done(performance.now() - begin)
    })
  })
  await weft.ready
  const ready = performance.now() - begin
  return { ready, 'first answer': await answered }
}

window.write = async () => {
  const weft = createClient({ url, application: 'bench' })
  await weft.ready
  // By then the page leads, and has read what other tabs left.
  await new Promise((done) => setTimeout(done, 2_000))
  const begin = performance.now()
  const saved: Promise<void>[] = []
  for (let i = 0; i < 10_000; i++)
    saved.push(weft.create('the_note', { text: `note ${i}`, price: i }).saved)
  const made = performance.now() - begin
  await Promise.all(saved)
  const durable = performance.now() - begin
  return { 'made and shown': made, 'on disk after that': durable - made, 'in all': durable }
}
