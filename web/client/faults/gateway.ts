import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type RequestOptions,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { chooseFault, type Fault, faultName, replacementBody, writesPath } from './fault.ts'

/** A proxy between the tabs and the server that injects faults into requests. */
export interface Gateway {
  readonly url: string
  /** Closes all connections and refuses all requests. */
  disconnect(): void
  /** Accepts requests again, with faults. */
  reconnect(): void
  /** Accepts requests without faults from now on. */
  repair(): void
  end(): Promise<void>
}

export interface StaticFile {
  readonly type: string
  readonly text: string
}

export interface GatewayOptions {
  /** Port of the server. */
  readonly port: number
  readonly random: () => number
  /** Files to serve, by path, for paths outside `/api/`. Their responses have no faults. */
  readonly files: ReadonlyMap<string, StaticFile>
  onFault(name: string, path: string): void
  /** Called with the body of each request with writes. */
  onSent(body: string): void
  /** Called with the status and path of each request after the repair. */
  onPassed(response: string): void
}

/** The status alternates between `faulty` and `disconnected`, and ends as `repaired`. */
type GatewayStatus = 'faulty' | 'disconnected' | 'repaired'

export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { port, random, files, onFault, onSent, onPassed } = options
  const sockets = new Set<Socket>()
  let status: GatewayStatus = 'faulty'

  const server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?')[0] ?? '/'
    request.on('error', () => {})
    response.on('error', () => {})
    if (!path.startsWith('/api/')) return serveFile(files.get(path), response)
    if (status === 'disconnected') return void request.socket.destroy()
    const fault: Fault = status === 'faulty' ? chooseFault(random, path) : { kind: 'none' }
    if (fault.kind !== 'none') onFault(faultName(fault), path)
    if (status === 'repaired')
      response.on('close', () =>
        onPassed(`${response.writableFinished ? response.statusCode : 'no response'} ${path}`),
      )
    const onBody = path === writesPath ? onSent : () => {}
    const exchange = { port, request, response, fault, onBody }
    void forward(exchange).catch(() => request.socket.destroy())
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.keepAliveTimeout = 30_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const closeAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    disconnect() {
      if (status !== 'repaired') status = 'disconnected'
      closeAll()
    },
    reconnect() {
      if (status !== 'repaired') status = 'faulty'
    },
    repair() {
      status = 'repaired'
    },
    async end() {
      const closed = new Promise((resolve) => server.close(resolve))
      closeAll()
      await closed
    },
  }
}

function serveFile(file: StaticFile | undefined, response: ServerResponse): void {
  if (file) response.setHeader('Content-Type', file.type)
  response.setHeader('Cache-Control', 'no-store')
  response.writeHead(file ? 200 : 404).end(file?.text)
}

interface Exchange {
  readonly port: number
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly fault: Fault
  onBody(body: string): void
}

/** Forwards a request to the server, and the response to the tab, unless the fault prevents that. */
async function forward({ port, request, response, fault, onBody }: Exchange): Promise<void> {
  const { socket } = request
  if (fault.kind === 'cut before') return void socket.destroy()
  const { method, url: path, headers } = request
  const target: RequestOptions = { host: '127.0.0.1', port, method, path, headers, agent: false }
  if (path?.startsWith('/api/v1/events')) return forwardStream(target, request, response, fault)
  const body = await readBytes(request)
  onBody(body.toString())
  if (fault.kind === 'cut during') {
    const half = httpRequest(target)
    half.on('error', () => {})
    half.write(body.subarray(0, body.length / 2))
    setTimeout(() => half.destroy(), 20)
    return void socket.destroy()
  }
  if (fault.kind === 'replaced' && !fault.isProcessed) return replace(response, fault)
  const received = await deliver(target, body)
  if (fault.kind === 'repeated')
    setTimeout(() => void deliver(target, body).catch(() => {}), fault.after)
  if (fault.kind === 'response lost') return void socket.destroy()
  if (fault.kind === 'replaced') return replace(response, fault)
  if (fault.kind === 'slow') await new Promise((resolve) => setTimeout(resolve, fault.by))
  const half = received.body.subarray(0, received.body.length / 2)
  const { connection: _, 'transfer-encoding': __, ...headersToKeep } = received.headers
  const length = fault.kind === 'cut short' ? half.length : received.body.length
  response.writeHead(received.status, { ...headersToKeep, 'content-length': length })
  if (fault.kind === 'cut short') response.end(half)
  else if (fault.kind === 'half a response') response.write(half, () => socket.destroy())
  else response.end(received.body)
}

/** Forwards the change stream. A stream with a fault is refused, or closed after 300 ms. */
function forwardStream(
  target: RequestOptions,
  request: IncomingMessage,
  response: ServerResponse,
  fault: Fault,
): void {
  if (fault.kind === 'replaced') {
    replace(response, fault)
    return
  }
  const upstream = httpRequest(target, (received) => {
    response.writeHead(received.statusCode ?? 502, received.headers)
    received.pipe(response)
    received.on('close', () => request.socket.destroy())
  })
  upstream.on('error', () => request.socket.destroy())
  response.on('close', () => upstream.destroy())
  upstream.end()
  if (fault.kind !== 'none') setTimeout(() => request.socket.destroy(), 300)
}

function replace(response: ServerResponse, fault: Fault & { readonly kind: 'replaced' }): void {
  const { status, body } = fault
  const { type, text } = replacementBody(status, body)
  const retry = status === 429 || status === 503 ? { 'Retry-After': '1' } : {}
  response.writeHead(status, { 'Content-Type': type, ...retry }).end(text)
}

interface ReceivedResponse {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

function deliver(target: RequestOptions, body: Buffer): Promise<ReceivedResponse> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(target, (received) => {
      readBytes(received).then((body) => {
        resolve({ status: received.statusCode ?? 502, headers: received.headers, body })
      }, reject)
    })
    request.on('error', reject)
    request.end(body)
  })
}

async function readBytes(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
