import {
  type Answer,
  type Ask,
  batching,
  type Greeting,
  protocol,
  type ToPage,
  type ToWorker,
} from '../worker/message.ts'

/** A page that greeted, for as long as the worker lives. */
interface Guest {
  greeting: Greeting
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
  async greeted(greeting: Greeting, port: MessagePort): Promise<void> {
    const { at, waiting } = greeting
    if (greeting.protocol !== protocol)
      return port.postMessage({ welcome: protocol, unknown: [], at } satisfies ToPage)
    const known = this.#guests.get(greeting.page)
    if (known) port.close()
    const guest = known ?? this.#meet(greeting, port)
    guest.greeting = greeting
    // What came over the port before may still be on its way to be heard.
    await new Promise((heard) => setTimeout(heard))
    const unknown = waiting.filter((id) => !guest.open.has(id))
    guest.say({ welcome: protocol, unknown, at })
    await Promise.all(guest.open.values())
  }

  /** Has a page of that name, whichever answers first, get a new token. */
  async renew(name: string): Promise<string | undefined> {
    const guests = [...this.#guests.values()].filter((guest) => guest.greeting.name === name)
    if (guests.length === 0) return undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    return new Promise<string | undefined>((done) => {
      timer = setTimeout(() => done(undefined), patience)
      for (const guest of guests) {
        guest.renewed = done
        guest.say({ renew: true })
      }
    }).finally(() => clearTimeout(timer))
  }

  #meet(greeting: Greeting, port: MessagePort): Guest {
    const open = new Map<number, Promise<void>>()
    const say = (said: ToPage) => port.postMessage(said)
    const guest: Guest = { greeting, open, say, renewed: undefined }
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
