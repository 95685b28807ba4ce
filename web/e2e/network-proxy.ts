import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A TCP proxy between browser and server, whose connections a test can interrupt. */
export interface NetworkProxy {
  readonly url: string
  /** Forwards requests to the server, but closes the connection instead of forwarding a response. */
  dropResponses(): void
  /** Closes open connections and refuses new ones. */
  disconnect(): void
  /** Keeps connections open without forwarding anything. */
  stall(): void
  /** Forwards everything again. */
  reconnect(): void
  /** Returns the number of dropped responses. */
  droppedResponses(): number
}

type Mode = 'connected' | 'dropping responses' | 'disconnected' | 'stalled'

/** Starts a proxy to a local port. It stops after the test. */
export async function startNetworkProxy(port: number): Promise<NetworkProxy> {
  let mode: Mode = 'connected'
  let droppedResponses = 0
  const open = new Set<Socket>()

  const listener = createServer((browser) => {
    if (mode === 'disconnected') return void browser.destroy()
    const server = connect(port, '127.0.0.1')
    for (const socket of [browser, server]) {
      open.add(socket)
      socket.on('close', () => open.delete(socket))
      socket.on('error', () => {})
    }
    browser.on('data', (chunk) => mode !== 'stalled' && server.write(chunk))
    server.on('data', (chunk) => {
      if (mode === 'stalled') return
      if (mode !== 'dropping responses') return void browser.write(chunk)
      droppedResponses++
      browser.destroy()
      server.destroy()
    })
    browser.on('close', () => server.destroy())
    server.on('close', () => browser.destroy())
  })

  const url = await new Promise<string>((resolve) => {
    listener.listen(0, '127.0.0.1', () => {
      resolve(`http://127.0.0.1:${(listener.address() as { port: number }).port}`)
    })
  })
  const closeConnections = () => {
    for (const socket of open) socket.destroy()
  }
  onTestFinished(() => {
    closeConnections()
    listener.close()
  })
  return {
    url,
    dropResponses: () => {
      mode = 'dropping responses'
    },
    disconnect: () => {
      mode = 'disconnected'
      closeConnections()
    },
    stall: () => {
      mode = 'stalled'
    },
    reconnect: () => {
      mode = 'connected'
    },
    droppedResponses: () => droppedResponses,
  }
}
