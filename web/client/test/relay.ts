import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** What a refusal says besides. */
const refusing = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Retry-After',
  'Content-Type': 'application/json',
  'Retry-After': '7',
}

/** Stands before a server and writes down what passes. */
export interface Relay {
  readonly url: string
  /** Paths of the posts that came, oldest first. */
  readonly posts: string[]
  /** From now on answers wait here. Returns how to let them go. */
  hold(): () => void
  /** From now on nobody is answered. */
  cut(): void
  mend(): void
  /** Answers the next posts to a path with that status, without asking the server. */
  refuse(path: string, status: number, times: number): void
}

export async function startRelay(server: string): Promise<Relay> {
  const posts: string[] = []
  const refusals = new Map<string, { status: number; times: number }>()
  let held: Promise<void> | undefined
  let cut = false
  const relay = createServer((asked, answer) => {
    const path = asked.url ?? ''
    if (asked.method === 'POST') posts.push(path)
    if (cut) return void asked.socket.destroy()
    const refusal = refusals.get(path)
    if (asked.method === 'POST' && refusal && refusal.times-- > 0) {
      asked.resume()
      return void answer.writeHead(refusal.status, refusing).end('{}')
    }
    pass(server, asked, answer, () => held)
  })
  const url = await new Promise<string>((resolve) => {
    relay.listen(0, '127.0.0.1', () => {
      resolve(`http://127.0.0.1:${(relay.address() as AddressInfo).port}`)
    })
  })
  onTestFinished(() => {
    relay.closeAllConnections()
    relay.close()
  })
  return {
    url,
    posts,
    hold: () => {
      let release!: () => void
      held = new Promise((resolve) => {
        release = resolve
      })
      return () => {
        held = undefined
        release()
      }
    },
    cut: () => {
      cut = true
      relay.closeAllConnections()
    },
    mend: () => {
      cut = false
    },
    refuse: (path, status, times) => refusals.set(path, { status, times }),
  }
}

function pass(
  server: string,
  asked: IncomingMessage,
  answer: ServerResponse,
  held: () => Promise<void> | undefined,
): void {
  const { method, headers } = asked
  const onward = request(server + asked.url, { method, headers }, async (said) => {
    if (method === 'POST') await held()
    answer.writeHead(said.statusCode ?? 502, said.headers)
    said.pipe(answer)
  })
  onward.on('error', () => answer.destroy())
  answer.on('close', () => onward.destroy())
  asked.pipe(onward)
}
