import { pause } from '../store/pause.ts'
import {
  type Answer,
  type Ask,
  batching,
  type Greeting,
  protocol,
  type ToPage,
  type ToWorker,
} from '../worker/message.ts'
import { scope } from './scope.ts'

/** A page that greeted, for as long as both live. */
interface Guest {
  readonly name: string
  /** The browser's name for it. */
  readonly client: string | undefined
  /** Numbers its requests under way. */
  readonly open: Map<number, Promise<void>>
  /** The port on which it was first heard: on one port nothing overtakes anything. */
  say(said: ToPage): void
  /** For who waits for the token that the page was asked for. */
  renewed: ((token: string | undefined) => void) | undefined
}

/** How long a page may take to get a new token, in ms: it may have to ask somebody. */
const patience = 60_000

/**
 * Makes requests for pages, each of which has a port. It knows nothing that they do not tell it again, because
 * browsers end a worker that is idle.
 */
export class Router {
  readonly #guests = new Map<string, Guest>()

  /** A page greets. Resolves when all it has asked for so far is answered. */
  async greeted(greeting: Greeting, port: MessagePort, client: string | undefined): Promise<void> {
    const { at, waiting } = greeting
    if (greeting.protocol !== protocol)
      return port.postMessage({ welcome: protocol, unknown: [], at } satisfies ToPage)
    const known = this.#guests.get(greeting.page)
    if (known) port.close()
    const guest = known ?? this.#meet(greeting, port, client)
    // What came over the port before may still be on its way to be heard.
    await pause(0)
    const unknown = waiting.filter((id) => !guest.open.has(id))
    guest.say({ welcome: protocol, unknown, at })
    await Promise.all(guest.open.values())
  }

  /** Has a page of that name, whichever is first to have one, get a token other than the one that was refused. */
  async renew(name: string, refused: string | undefined): Promise<string | undefined> {
    await this.#part()
    const guests = [...this.#guests.values()].filter((guest) => guest.name === name)
    const asked = guests.map(
      (guest) =>
        new Promise<string>((done, none) => {
          guest.renewed = (token) => (token && token !== refused ? done(token) : none())
          guest.say({ renew: true })
        }),
    )
    return Promise.race([Promise.any(asked), pause(patience)]).catch(() => undefined)
  }

  /** Forgets pages that are gone. */
  async #part(): Promise<void> {
    const here = (await scope.clients.matchAll({ includeUncontrolled: true })).map(({ id }) => id)
    for (const [page, { client }] of this.#guests)
      if (client && !here.includes(client)) this.#guests.delete(page)
  }

  #meet(greeting: Greeting, port: MessagePort, client: string | undefined): Guest {
    void this.#part()
    const open = new Map<number, Promise<void>>()
    const say = (said: ToPage) => port.postMessage(said)
    const guest: Guest = { name: greeting.name, client, open, say, renewed: undefined }
    const answer = batching<Answer>((answers) => say({ answers }))
    port.onmessage = ({ data }: MessageEvent<ToWorker>) => {
      if ('token' in data) return guest.renewed?.(data.token)
      for (const ask of data.asks) {
        const made = make(ask).then((answered) => {
          open.delete(ask.id)
          answer(answered)
        })
        open.set(ask.id, made)
      }
    }
    this.#guests.set(greeting.page, guest)
    return guest
  }
}

async function make({ id, url, ...request }: Ask): Promise<Answer> {
  try {
    const response = await fetch(url, { method: 'POST', ...request })
    const { status, headers } = response
    return { id, status, headers: [...headers], text: await response.text() }
  } catch {
    return { id, status: 0, headers: [], text: 'no answer' }
  }
}
