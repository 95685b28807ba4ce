import {
  request as ask,
  createServer,
  type IncomingMessage,
  type RequestOptions,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { type Fault, faultOf, nameOf, replacement, writesPath } from './fault.ts'

/** Stands between the tabs and the real server, and does to the requests what dice say. */
export interface Gateway {
  readonly url: string
  /** From now on nothing gets through, and what is open breaks. */
  cut(): void
  /** Lets requests through again, to meet faults. */
  join(): void
  /** No more faults from now on. */
  mend(): void
  end(): Promise<void>
}

export interface File {
  readonly type: string
  readonly text: string
}

/** Paths outside `/api/` are answered from files, by their path, without a fault. Calls met for every fault,
 * sent for every request with writes, and seen for what passes once the faults are over. */
export async function startGateway(
  port: number,
  dice: () => number,
  files: ReadonlyMap<string, File>,
  met: (fault: string, path: string) => void,
  sent: (body: string) => void,
  seen: (answer: string) => void,
): Promise<Gateway> {
  const sockets = new Set<Socket>()
  let mode: 'faulty' | 'cut' | 'mended' = 'faulty'

  const server = createServer((request, answer) => {
    const path = (request.url ?? '/').split('?')[0] ?? '/'
    request.on('error', () => {})
    answer.on('error', () => {})
    if (!path.startsWith('/api/')) return serve(files.get(path), answer)
    if (mode === 'cut') return void request.socket.destroy()
    const fault: Fault = mode === 'faulty' ? faultOf(dice, path) : { kind: 'none' }
    if (fault.kind !== 'none') met(nameOf(fault), path)
    if (mode === 'mended')
      answer.on('close', () =>
        seen(`${answer.writableFinished ? answer.statusCode : 'no answer'} ${path}`),
      )
    const heard = path === writesPath ? sent : () => {}
    void carry(port, request, answer, fault, heard).catch(() => request.socket.destroy())
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.keepAliveTimeout = 30_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const breakAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut() {
      if (mode !== 'mended') mode = 'cut'
      breakAll()
    },
    join() {
      if (mode !== 'mended') mode = 'faulty'
    },
    mend() {
      mode = 'mended'
    },
    async end() {
      const closed = new Promise((resolve) => server.close(resolve))
      breakAll()
      await closed
    },
  }
}

function serve(file: File | undefined, answer: ServerResponse): void {
  if (file) answer.setHeader('Content-Type', file.type)
  answer.setHeader('Cache-Control', 'no-store')
  answer.writeHead(file ? 200 : 404).end(file?.text)
}

async function carry(
  port: number,
  request: IncomingMessage,
  answer: ServerResponse,
  fault: Fault,
  heard: (body: string) => void,
): Promise<void> {
  const { socket } = request
  if (fault.kind === 'cut before') return void socket.destroy()
  const { method, url: path, headers } = request
  const to: RequestOptions = { host: '127.0.0.1', port, method, path, headers, agent: false }
  if (path?.startsWith('/api/v1/events')) return stream(to, request, answer, fault)
  const body = await bytesOf(request)
  heard(body.toString())
  if (fault.kind === 'cut during') {
    const half = ask(to)
    half.on('error', () => {})
    half.write(body.subarray(0, body.length / 2))
    setTimeout(() => half.destroy(), 20)
    return void socket.destroy()
  }
  if (fault.kind === 'replaced' && !fault.taken) return replace(answer, fault.status, fault.body)
  const said = await delivered(to, body)
  if (fault.kind === 'again')
    setTimeout(() => void delivered(to, body).catch(() => {}), fault.after)
  if (fault.kind === 'answer lost') return void socket.destroy()
  if (fault.kind === 'replaced') return replace(answer, fault.status, fault.body)
  if (fault.kind === 'slow') await new Promise((resolve) => setTimeout(resolve, fault.by))
  const half = said.body.subarray(0, said.body.length / 2)
  const { connection: _, 'transfer-encoding': __, ...kept } = said.headers
  const length = fault.kind === 'cut short' ? half.length : said.body.length
  answer.writeHead(said.status, { ...kept, 'content-length': length })
  if (fault.kind === 'cut short') answer.end(half)
  else if (fault.kind === 'half an answer') answer.write(half, () => socket.destroy())
  else answer.end(said.body)
}

/** The stream of changes: refused, or carried on until it breaks. */
function stream(
  to: RequestOptions,
  request: IncomingMessage,
  answer: ServerResponse,
  fault: Fault,
): void {
  if (fault.kind === 'replaced') {
    replace(answer, fault.status, fault.body)
    return
  }
  const upstream = ask(to, (said) => {
    answer.writeHead(said.statusCode ?? 502, said.headers)
    said.pipe(answer)
    said.on('close', () => request.socket.destroy())
  })
  upstream.on('error', () => request.socket.destroy())
  answer.on('close', () => upstream.destroy())
  upstream.end()
  if (fault.kind !== 'none') setTimeout(() => request.socket.destroy(), 300)
}

function replace(
  answer: ServerResponse,
  status: number,
  body: Parameters<typeof replacement>[1],
): void {
  const { type, text } = replacement(status, body)
  const wait = status === 429 || status === 503 ? { 'Retry-After': '1' } : {}
  answer.writeHead(status, { 'Content-Type': type, ...wait }).end(text)
}

interface Said {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

function delivered(to: RequestOptions, body: Buffer): Promise<Said> {
  return new Promise((resolve, reject) => {
    const request = ask(to, (said) => {
      bytesOf(said).then((body) => {
        resolve({ status: said.statusCode ?? 502, headers: said.headers, body })
      }, reject)
    })
    request.on('error', reject)
    request.end(body)
  })
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
