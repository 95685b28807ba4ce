import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { deflateSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { profile } from '../../e2e/browser.ts'
import { startWeft } from '../../e2e/weft.ts'
import { wireCutter } from '../../e2e/wire-cutter.ts'
import { createClient } from '../src/index.ts'
import { imageAddress, removeUpload, upload, uploadLimit } from '../src/services/index.ts'
import { openEntries } from './entries.ts'
import { startServer, tokenOf } from './server.ts'

const pdf = (bytes = 0) => file('a.pdf', 'application/pdf', `%PDF-1.7\n${'x'.repeat(bytes)}`)

test('a picture is uploaded with its small variant, and both are read where they are said to be', async () => {
  const { client, url } = await world()
  const { small, ...said } = await upload(client, file('big.png', 'image/png', png(900, 300)))
  expect(said).toMatchObject({ success: true, message: 'Upload Success' })
  expect(said.url.startsWith(`${url}/uploads/`)).toBe(true)
  expect(imageAddress(client, `https://elsewhere.test/old/${name(said.url)}?v=2`)).toBe(said.url)
  expect(imageAddress(client, said.url, 'small')).toBe(small)
  const [whole, little] = await Promise.all([said.url, small as string].map(sizeOf))
  expect([whole, little]).toEqual(['900 × 300', '400 × 133'])
})

test.each([
  ['a.pdf', 'application/pdf', '%PDF-1.7\n'],
  ['a.txt', 'text/plain', 'plain'],
  ['A.MD', '', '# marked'],
])('%s is uploaded as a document', async (name, type, content) => {
  const { client } = await world()
  const { url, small } = await upload(client, file(name, type, content))
  expect(await (await fetch(url)).text()).toBe(content)
  expect(small).toBeUndefined()
})

test.each([
  ['a.gif', 'image/gif'],
  ['a.svg', 'image/svg+xml'],
  ['a.docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['md', ''],
])('%s is refused before anything is sent', async (name, type) => {
  const nobody = createClient({ url: 'http://127.0.0.1:9', storage: 'memory' })
  const refused = upload(nobody, file(name, type, 'x'))
  await expect(refused).rejects.toMatchObject({ kind: 'invalid', message: 'Invalid File Format' })
  nobody.close()
})

test('a file above the limit is refused with both sizes before it is sent', async () => {
  const { client } = await world('--anonymous-writes', '--upload-limit', '2KiB')
  expect(await uploadLimit(client)).toMatchObject({ maxFileSize: 2048 })
  const asked: string[] = []
  const { fetch } = globalThis
  globalThis.fetch = (at, init) => {
    asked.push(String(at))
    return fetch(at, init)
  }
  try {
    const refused = upload(client, pdf(2040))
    await expect(refused).rejects.toMatchObject({
      kind: 'tooLarge',
      message: 'a.pdf has 2049 bytes; the most is 2048',
    })
  } finally {
    globalThis.fetch = fetch
  }
  expect(asked.filter((at) => at.includes('/api/Image'))).toEqual([])
  expect((await upload(client, pdf(2039))).success).toBe(true)
})

test('what the server refuses it refuses in its own words', async () => {
  const { client } = await world('--upload-limit', '2KiB')
  await expect(upload(client, pdf())).rejects.toMatchObject({
    kind: 'unauthorized',
    message: 'nobody is signed in, and this server lets only users write',
  })
  const { client: other } = await world()
  await expect(upload(other, file('a.png', 'image/png', 'no picture'))).rejects.toThrow(/a\.png/)
  const nobody = createClient({ url: 'http://127.0.0.1:9', storage: 'memory' })
  await expect(upload(nobody, pdf())).rejects.toMatchObject({ kind: 'unavailable' })
  nobody.close()
})

test('a server that says no address, or nothing at all, has failed', async () => {
  let status = 200
  const other = createServer((_, answer) => {
    answer.writeHead(status)
    answer.end(status === 200 ? '{"success":false}' : '<h1>a site of files</h1>')
  })
  other.listen(0, '127.0.0.1')
  await once(other, 'listening')
  onTestFinished(() => void other.close())
  const { port } = other.address() as AddressInfo
  const client = createClient({ url: `http://127.0.0.1:${port}`, storage: 'memory' })
  onTestFinished(() => client.close())
  const failed = { message: 'File Upload Failed' }
  await expect(upload(client, pdf())).rejects.toMatchObject({ ...failed, kind: 'internal' })
  status = 404
  await expect(upload(client, pdf())).rejects.toMatchObject({ ...failed, kind: 'unavailable' })
})

test('who uploaded a file removes it, and nobody else does', async () => {
  const { client, url } = await world()
  const [ann, bob] = await Promise.all([tokenOf(url, 'ann'), tokenOf(url, 'bob')])
  client.setToken(ann)
  const { url: address } = await upload(client, pdf())
  client.setToken(bob)
  await expect(removeUpload(client, address)).rejects.toMatchObject({ kind: 'forbidden' })
  expect((await fetch(address)).status).toBe(200)
  client.setToken(ann)
  await removeUpload(client, address)
  expect((await fetch(address)).status).toBe(404)
  await expect(removeUpload(client, address)).rejects.toMatchObject({ kind: 'notFound' })
})

test('an upload that was cancelled before it began sends nothing', async () => {
  const { client } = await world()
  const signal = AbortSignal.abort(new Error('changed my mind'))
  await expect(upload(client, pdf(), { signal })).rejects.toThrow('changed my mind')
})

test('in Chromium an upload tells how far it is, and stops when it is cancelled', async () => {
  const weft = await startWeft()
  const cable = await wireCutter(weft.port)
  const page = await openEntries(await profile(), cable.url)
  const told = await page.evaluate(async () => {
    const { upload } = window.services
    const shares: number[] = []
    const file = new File([new Uint8Array(6_000_000).fill(32)], 'a.txt', { type: 'text/plain' })
    const done = await upload(window.weft, file, { progress: (share) => shares.push(share) })
    return { shares, done }
  })
  expect(told.done.message).toBe('Upload Success')
  expect(told.shares.at(-1)).toBe(1)
  expect(told.shares).toEqual(told.shares.toSorted((a, b) => a - b))

  const cancelled = page.evaluate(async () => {
    const { upload } = window.services
    const stop = new AbortController()
    const progress = () => stop.abort(new Error('changed my mind'))
    const file = new File([new Uint8Array(20_000_000)], 'b.txt', { type: 'text/plain' })
    const going = upload(window.weft, file, { progress, signal: stop.signal })
    return going.then(String, (e: Error) => e.message)
  })
  expect(await cancelled).toBe('changed my mind')

  cable.cut()
  const lost = page.evaluate(() => {
    const file = new File(['x'], 'c.txt', { type: 'text/plain' })
    const going = window.services.upload(window.weft, file, { progress: () => {} })
    return going.then(String, (e: { kind?: string }) => e.kind)
  })
  expect(await lost).toBe('unavailable')
})

test('in Chromium a token that has run out is renewed, and the file is sent again', async () => {
  const url = await startServer()
  const page = await openEntries(await profile(), url)
  const token = await tokenOf(url, 'ann')
  const send = (fresh: string | undefined) =>
    page.evaluate(
      ([token, fresh]) => {
        window.weft.setToken(`${token}x`)
        Object.assign(window, { fresh })
        const file = new File(['x'], 'a.txt', { type: 'text/plain' })
        const going = window.services.upload(window.weft, file, { progress: () => {} })
        return going.then(({ message }) => message).catch((e: { kind?: string }) => e.kind)
      },
      [token, fresh] as const,
    )
  expect(await send(undefined)).toBe('unauthorized')
  expect(await send(token)).toBe('Upload Success')
  const own = await fetch(`${url}/api/uploads`, { headers: { Authorization: `Bearer ${token}` } })
  expect(((await own.json()) as { uploads: object[] }).uploads).toHaveLength(1)
})

test.each([
  ['https://h/x/a.png', undefined, '/uploads/a.png'],
  ['https://h/x/a.png', 'small', '/uploads/a_small.png'],
  ['a.b.png', 'small', '/uploads/a.b_small.png'],
  ['plain#part', 'small', '/uploads/plain_small'],
] as const)('the picture %s, %s, is at %s', (address, size, want) => {
  const client = createClient({ url: 'http://127.0.0.1:9/', storage: 'memory' })
  expect(imageAddress(client, address, size)).toBe(`http://127.0.0.1:9${want}`)
  for (const none of ['', 'https://h/x/']) expect(imageAddress(client, none, size)).toBe(none)
  client.close()
})

async function world(...flags: string[]) {
  const url = await startServer(...flags)
  const client = createClient({ url, storage: 'memory' })
  onTestFinished(() => client.close())
  return { client, url }
}

const file = (name: string, type: string, content: string | Uint8Array<ArrayBuffer>) =>
  new File([content], name, { type })

const name = (url: string) => url.split('/').at(-1)

/** The size of a PNG as its header says it. */
async function sizeOf(url: string): Promise<string> {
  const view = new DataView(await (await fetch(url)).arrayBuffer())
  return `${view.getUint32(16)} × ${view.getUint32(20)}`
}

/** A black picture. */
function png(width: number, height: number): Uint8Array<ArrayBuffer> {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 0, 0, 0, 0], 8)
  const pixels = deflateSync(Buffer.alloc((width + 1) * height))
  const mark = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const chunks = [piece('IHDR', header), piece('IDAT', pixels), piece('IEND', Buffer.alloc(0))]
  return Uint8Array.from(Buffer.concat([mark, ...chunks]))
}

function piece(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), data])
  const out = Buffer.alloc(8 + named.length)
  out.writeUInt32BE(data.length, 0)
  out.set(named, 4)
  out.writeUInt32BE(checksum(named), 4 + named.length)
  return out
}

/** CRC-32 as PNG has it. */
function checksum(data: Buffer): number {
  let sum = -1
  for (const byte of data) {
    sum ^= byte
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0)
  }
  return ~sum >>> 0
}
