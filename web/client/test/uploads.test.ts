import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { deflateSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { profile } from '../../e2e/browser.ts'
import { startNetworkProxy } from '../../e2e/network-proxy.ts'
import { startWeft } from '../../e2e/weft.ts'
import { createClient } from '../src/index.ts'
import { fetchUploadLimits, removeUpload, uploadFile, uploadUrl } from '../src/services/index.ts'
import { openEntries } from './entries.ts'
import { startServer, tokenOf } from './server.ts'

const pdf = (bytes = 0) => file('a.pdf', 'application/pdf', `%PDF-1.7\n${'x'.repeat(bytes)}`)

test('a picture and its small variant can be read at the returned addresses', async () => {
  const { client, url } = await setUp()
  const { small, ...upload } = await uploadFile(client, file('big.png', 'image/png', png(900, 300)))
  expect(upload).toMatchObject({ success: true, message: 'Upload Success' })
  expect(upload.url.startsWith(`${url}/uploads/`)).toBe(true)
  expect(uploadUrl(client, `https://elsewhere.test/old/${fileName(upload.url)}?v=2`)).toBe(
    upload.url,
  )
  expect(uploadUrl(client, upload.url, 'small')).toBe(small)
  const sizes = await Promise.all([upload.url, small as string].map(sizeOf))
  expect(sizes).toEqual(['900 × 300', '400 × 133'])
})

test.each([
  ['a.pdf', 'application/pdf', '%PDF-1.7\n'],
  ['a.txt', 'text/plain', 'plain'],
  ['A.MD', '', '# marked'],
  ['a.csv', 'application/vnd.ms-excel', 'name,age\nAnn,30\n'],
  [
    'a.zip',
    'application/x-zip-compressed',
    `PK\x03\x04\x14\0\0\0\0\0 a.txt PK\x05\x06${'\0'.repeat(18)}`,
  ],
])('%s is uploaded as a document', async (name, type, content) => {
  const { client } = await setUp()
  const { url, small } = await uploadFile(client, file(name, type, content))
  expect(await (await fetch(url)).text()).toBe(content)
  expect(small).toBeUndefined()
})

test.each([
  ['a.gif', 'image/gif'],
  ['a.svg', 'image/svg+xml'],
  ['a.odt', 'application/vnd.oasis.opendocument.text'],
  ['md', ''],
])('%s is refused before anything is sent', async (name, type) => {
  const offline = createClient({ url: 'http://127.0.0.1:9', storage: 'memory' })
  const refused = uploadFile(offline, file(name, type, 'x'))
  await expect(refused).rejects.toMatchObject({ kind: 'invalid', message: 'Invalid File Format' })
  offline.close()
})

test('a file above the limit is refused before it is sent, with both sizes in the message', async () => {
  const { client } = await setUp('--anonymous-writes', '--upload-limit', '2KiB')
  expect(await fetchUploadLimits(client)).toMatchObject({ maxFileSize: 2048 })
  const urls: string[] = []
  const { fetch } = globalThis
  globalThis.fetch = (url, init) => {
    urls.push(String(url))
    return fetch(url, init)
  }
  try {
    const refused = uploadFile(client, pdf(2040))
    await expect(refused).rejects.toMatchObject({
      kind: 'tooLarge',
      message: 'a.pdf has 2049 bytes; the maximum is 2048',
    })
  } finally {
    globalThis.fetch = fetch
  }
  expect(urls.filter((url) => url.includes('/api/Image'))).toEqual([])
  expect((await uploadFile(client, pdf(2039))).success).toBe(true)
})

test("an error has the server's message", async () => {
  const { client } = await setUp('--upload-limit', '2KiB')
  await expect(uploadFile(client, pdf())).rejects.toMatchObject({
    kind: 'unauthorized',
    message: 'the caller is not signed in, and this server accepts writes of users only',
  })
  const { client: other } = await setUp()
  await expect(uploadFile(other, file('a.png', 'image/png', 'no picture'))).rejects.toThrow(
    /a\.png/,
  )
  const offline = createClient({ url: 'http://127.0.0.1:9', storage: 'memory' })
  await expect(uploadFile(offline, pdf())).rejects.toMatchObject({ kind: 'unavailable' })
  offline.close()
})

test('a response without a URL, or without a body, is an error', async () => {
  let status = 200
  const other = createServer((_, response) => {
    response.writeHead(status)
    response.end(status === 200 ? '{"success":false}' : '<h1>a site of files</h1>')
  })
  other.listen(0, '127.0.0.1')
  await once(other, 'listening')
  onTestFinished(() => void other.close())
  const { port } = other.address() as AddressInfo
  const client = createClient({ url: `http://127.0.0.1:${port}`, storage: 'memory' })
  onTestFinished(() => client.close())
  const failed = { message: 'File Upload Failed' }
  await expect(uploadFile(client, pdf())).rejects.toMatchObject({ ...failed, kind: 'internal' })
  status = 404
  await expect(uploadFile(client, pdf())).rejects.toMatchObject({ ...failed, kind: 'unavailable' })
})

test('only the user who uploaded a file can remove it', async () => {
  const { client, url } = await setUp()
  const [ann, bob] = await Promise.all([tokenOf(url, 'ann'), tokenOf(url, 'bob')])
  client.setToken(ann)
  const { url: address } = await uploadFile(client, pdf())
  client.setToken(bob)
  await expect(removeUpload(client, address)).rejects.toMatchObject({ kind: 'forbidden' })
  expect((await fetch(address)).status).toBe(200)
  client.setToken(ann)
  await removeUpload(client, address)
  expect((await fetch(address)).status).toBe(404)
  await expect(removeUpload(client, address)).rejects.toMatchObject({ kind: 'notFound' })
})

test('an upload that is cancelled before its start sends nothing', async () => {
  const { client } = await setUp()
  const signal = AbortSignal.abort(new Error('changed my mind'))
  await expect(uploadFile(client, pdf(), { signal })).rejects.toThrow('changed my mind')
})

test('in Chromium an upload reports its progress and can be cancelled', async () => {
  const weft = await startWeft()
  const network = await startNetworkProxy(weft.port)
  const page = await openEntries(await profile(), network.url)
  const result = await page.evaluate(async () => {
    const { uploadFile } = window.services
    const shares: number[] = []
    const file = new File([new Uint8Array(6_000_000).fill(32)], 'a.txt', { type: 'text/plain' })
    const done = await uploadFile(window.weft, file, { onProgress: (share) => shares.push(share) })
    return { shares, done }
  })
  expect(result.done.message).toBe('Upload Success')
  expect(result.shares.at(-1)).toBe(1)
  expect(result.shares).toEqual(result.shares.toSorted((a, b) => a - b))

  const cancelled = page.evaluate(async () => {
    const { uploadFile } = window.services
    const stop = new AbortController()
    const progress = () => stop.abort(new Error('changed my mind'))
    const file = new File([new Uint8Array(20_000_000)], 'b.txt', { type: 'text/plain' })
    const uploading = uploadFile(window.weft, file, { onProgress: progress, signal: stop.signal })
    return uploading.then(String, (e: Error) => e.message)
  })
  expect(await cancelled).toBe('changed my mind')

  network.disconnect()
  const lost = page.evaluate(() => {
    const file = new File(['x'], 'c.txt', { type: 'text/plain' })
    const uploading = window.services.uploadFile(window.weft, file, { onProgress: () => {} })
    return uploading.then(String, (e: { kind?: string }) => e.kind)
  })
  expect(await lost).toBe('unavailable')
})

test('in Chromium an expired token is renewed, and the file is sent again', async () => {
  const url = await startServer()
  const page = await openEntries(await profile(), url)
  const token = await tokenOf(url, 'ann')
  const send = (renewedToken: string | undefined) =>
    page.evaluate(
      ([token, renewedToken]) => {
        window.weft.setToken(`${token}x`)
        Object.assign(window, { renewedToken })
        const file = new File(['x'], 'a.txt', { type: 'text/plain' })
        const uploading = window.services.uploadFile(window.weft, file, { onProgress: () => {} })
        return uploading.then(({ message }) => message).catch((e: { kind?: string }) => e.kind)
      },
      [token, renewedToken] as const,
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
] as const)('uploadUrl resolves %s in the size %s to %s', (address, size, want) => {
  const client = createClient({ url: 'http://127.0.0.1:9/', storage: 'memory' })
  expect(uploadUrl(client, address, size)).toBe(`http://127.0.0.1:9${want}`)
  for (const nameless of ['', 'https://h/x/'])
    expect(uploadUrl(client, nameless, size)).toBe(nameless)
  client.close()
})

async function setUp(...flags: string[]) {
  const url = await startServer(...flags)
  const client = createClient({ url, storage: 'memory' })
  onTestFinished(() => client.close())
  return { client, url }
}

const file = (name: string, type: string, content: string | Uint8Array<ArrayBuffer>) =>
  new File([content], name, { type })

const fileName = (url: string) => url.split('/').at(-1)

/** Reads the width and height of a PNG from its header. */
async function sizeOf(url: string): Promise<string> {
  const view = new DataView(await (await fetch(url)).arrayBuffer())
  return `${view.getUint32(16)} × ${view.getUint32(20)}`
}

/** Returns a black picture as a PNG. */
function png(width: number, height: number): Uint8Array<ArrayBuffer> {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 0, 0, 0, 0], 8)
  const pixels = deflateSync(Buffer.alloc((width + 1) * height))
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const chunks = [
    pngChunk('IHDR', header),
    pngChunk('IDAT', pixels),
    pngChunk('IEND', Buffer.alloc(0)),
  ]
  return Uint8Array.from(Buffer.concat([signature, ...chunks]))
}

function pngChunk(type: string, data: Buffer): Buffer {
  const typeAndData = Buffer.concat([Buffer.from(type), data])
  const out = Buffer.alloc(8 + typeAndData.length)
  out.writeUInt32BE(data.length, 0)
  out.set(typeAndData, 4)
  out.writeUInt32BE(checksum(typeAndData), 4 + typeAndData.length)
  return out
}

/** Returns the CRC-32 that ends a chunk of a PNG. */
function checksum(data: Buffer): number {
  let sum = -1
  for (const byte of data) {
    sum ^= byte
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0)
  }
  return ~sum >>> 0
}
