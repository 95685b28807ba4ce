import { WeftError } from '../graph/error.ts'
import { Abandoned } from '../store/abandoned.ts'
import { set, setting } from '../store/settings.ts'
import { Http } from '../wire/http.ts'
import { ignore } from '../wire/wait.ts'
import type { Greeting, Question } from '../worker/message.ts'
import { deliver } from './deliver.ts'
import { lead } from './lead.ts'
import type { Router } from './router.ts'
import { scope } from './scope.ts'

/** Who is signed in, as pages say it. */
type Signed = Pick<Greeting, 'token' | 'session'>

/** How long pages may take to say who is signed in, in ms. */
const patience = 1_000
/** How long a tab that goes may take to let go, in ms. */
const parting = 5_000
/** Under what name the token is written down. */
const kept = 'token'

/** Sends the writes that no page is left to send. What it leaves, a page or the next event sends. */
export class Background {
  readonly #router: Router
  readonly #keepToken: boolean
  readonly #signed = new Map<string, Signed>()
  readonly #sending = new Map<string, Promise<void>>()
  #activated: Promise<void> | undefined
  #greeted: () => void = () => {}

  constructor(router: Router, keepToken: boolean) {
    this.#router = router
    this.#keepToken = keepToken
  }

  /** A page says who is signed in. */
  async met({ name, token, session }: Greeting): Promise<void> {
    this.#signed.set(name, { token, session })
    this.#greeted()
    // A page may greet before its database is there, or have none.
    if (this.#keepToken) await set(name, kept, token).catch(ignore)
    await this.#activated
  }

  /** Takes over from a version that may have written tokens down. Resolves once there is none, and does not wait for what is sent. */
  activate(): Promise<void> {
    this.#activated = this.#activate()
    return this.#activated
  }

  async #activate(): Promise<void> {
    if (!this.#keepToken)
      for (const name of await names()) await set(name, kept, undefined).catch(ignore)
    void this.sendAll()
  }

  /**
   * Sends what waits under a name, after what is under way: that may have begun without a network. Rejects, for the
   * browser to try again, when there may be more to send later.
   */
  send(name: string, patience = parting): Promise<void> {
    const before = this.#sending.get(name)?.catch(ignore)
    const sending = Promise.resolve(before).then(() => this.#send(name, patience))
    this.#sending.set(name, sending)
    return sending.finally(() => {
      if (this.#sending.get(name) === sending) this.#sending.delete(name)
    })
  }

  /** Sends what waits under any name, as far as it goes and nobody does. */
  async sendAll(): Promise<void> {
    const idle = (await names()).filter((name) => !this.#sending.has(name))
    for (const name of idle) await this.send(name, 0).catch(ignore)
  }

  async #send(name: string, patience: number): Promise<void> {
    if (!(await names()).includes(name)) return
    const verdict = await lead(name, patience, async (tell, signal) => {
      const database = new Abandoned(name)
      const http = new Http(name.split(' ')[1] ?? '', undefined)
      try {
        await this.#sign(name, http)
        return await deliver(database, http, tell, signal)
      } finally {
        http.close()
        database.close()
      }
    })
    if (verdict !== 'none') throw new WeftError('unavailable', 'not everything is sent')
  }

  /** Signs in as whoever is signed in at the pages, or was, if that was written down. */
  async #sign(name: string, http: Http): Promise<void> {
    if (!this.#signed.has(name)) await this.#ask()
    const signed = this.#signed.get(name)
    http.token = signed ? signed.token : await setting<string>(name, kept)
    if (signed?.session) http.session = signed.session
    http.renew = async () => {
      const token = await this.#router.renew(name, http.token)
      if (token) http.token = token
    }
  }

  /** Asks every page there is to greet. */
  async #ask(): Promise<void> {
    const pages = await scope.clients.matchAll({ includeUncontrolled: true })
    if (pages.length === 0) return
    const question: Question = { weft: 'who' }
    await new Promise<void>((done) => {
      this.#greeted = done
      for (const page of pages) page.postMessage(question)
      setTimeout(done, patience)
    })
  }
}

/** Names of the clients that keep writes here. */
async function names(): Promise<string[]> {
  const all = (await indexedDB.databases()).map(({ name = '' }) => name)
  return all.filter(
    (name) => /^weft /.test(name) && !all.some((other) => name === `${other} cache`),
  )
}
