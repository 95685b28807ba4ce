import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A cable between browser and server that a test can cut. */
export interface WireCutter {
  readonly url: string
  /** From now on every request reaches the server, and every answer is lost on the way back. */
  loseAnswers(): void
  /** From now on nothing gets through at all, and what is open breaks. */
  cut(): void
  /** From now on nothing gets through, and what is open stays open, as where a proxy has forgotten it. */
  hush(): void
  /** Lets everything through again. */
  mend(): void
  /** How many answers were lost so far. */
  lost(): number
}

type Mode = 'whole' | 'losing' | 'cut' | 'silent'

/** Lays a cable to a port on this machine. */
export async function wireCutter(port: number): Promise<WireCutter> {
  let mode: Mode = 'whole'
  let lost = 0
  const open = new Set<Socket>()

  const listener = createServer((browser) => {
    if (mode === 'cut') return void browser.destroy()
    const server = connect(port, '127.0.0.1')
    for (const socket of [browser, server]) {
      open.add(socket)
      socket.on('close', () => open.delete(socket))
      socket.on('error', () => {})
    }
    browser.on('data', (chunk) => mode !== 'silent' && server.write(chunk))
    server.on('data', (chunk) => {
      if (mode === 'silent') return
      if (mode !== 'losing') return void browser.write(chunk)
      lost++
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
  const breakAll = () => {
    for (const socket of open) socket.destroy()
  }
  onTestFinished(() => {
    breakAll()
    listener.close()
  })
  return {
    url,
    loseAnswers: () => {
      mode = 'losing'
    },
    cut: () => {
      mode = 'cut'
      breakAll()
    },
    hush: () => {
      mode = 'silent'
    },
    mend: () => {
      mode = 'whole'
    },
    lost: () => lost,
  }
}
