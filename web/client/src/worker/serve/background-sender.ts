import { WeftError } from '../../model/error.ts'
import { BackgroundOutbox } from '../../store/background-outbox.ts'
import { readSetting, writeSetting } from '../../store/settings.ts'
import { Http } from '../../wire/http.ts'
import { ignoreError } from '../../wire/retry.ts'
import type { Greeting, Question } from '../protocol.ts'
import type { PageRequests } from './page-requests.ts'
import { scope } from './scope.ts'
import { sendOutbox, withLock } from './send-outbox.ts'

/** The token and session of a client. */
type Credentials = Pick<Greeting, 'token' | 'session'>

/** Maximum time to wait for a page to greet with the token of the user, in ms. */
const greetingTimeout = 1_000
/** Maximum time to wait for a closing tab to release its lock, in ms. */
const closingTimeout = 5_000
/** Name of the setting that has the token. */
const tokenSetting = 'token'

/**
 * Sends the writes of clients that have no open page. A client is identified by the name of its database, which is also
 * the name of its lock and channel. Writes that cannot be sent now wait for a page or the next event.
 */
export class BackgroundSender {
  readonly #pages: PageRequests
  readonly #keepToken: boolean
  /** Credentials by name of the client. */
  readonly #credentials = new Map<string, Credentials>()
  readonly #sending = new Map<string, Promise<void>>()
  #activated: Promise<void> | undefined
  /** Called with the next greeting. */
  #onGreeted: () => void = () => {}

  constructor(pages: PageRequests, keepToken: boolean) {
    this.#pages = pages
    this.#keepToken = keepToken
  }

  /** Stores the token and session of a page's client. */
  async onGreeting({ name, token, session }: Greeting): Promise<void> {
    this.#credentials.set(name, { token, session })
    this.#onGreeted()
    // A page may greet before it has a database, and may never have one.
    if (this.#keepToken) await writeSetting(name, tokenSetting, token).catch(ignoreError)
    await this.#activated
  }

  /**
   * Takes over from an earlier version of the worker. Resolves when the tokens that this version may not keep are
   * removed. Then starts to send, without waiting for the result.
   */
  activate(): Promise<void> {
    this.#activated = this.#activate()
    return this.#activated
  }

  async #activate(): Promise<void> {
    if (!this.#keepToken)
      for (const name of await clientNames())
        await writeSetting(name, tokenSetting, undefined).catch(ignoreError)
    void this.sendAll()
  }

  /**
   * Sends the writes of a client. If another call is under way, waits for it and then sends again, because that call
   * may have begun without a network. Rejects if writes may be left, so that the browser fires another sync event.
   */
  send(name: string, lockTimeout = closingTimeout): Promise<void> {
    const before = this.#sending.get(name)?.catch(ignoreError)
    const sending = Promise.resolve(before).then(() => this.#send(name, lockTimeout))
    this.#sending.set(name, sending)
    return sending.finally(() => {
      if (this.#sending.get(name) === sending) this.#sending.delete(name)
    })
  }

  /** Sends the writes of every client without an open page. */
  async sendAll(): Promise<void> {
    const idle = (await clientNames()).filter((name) => !this.#sending.has(name))
    for (const name of idle) await this.send(name, 0).catch(ignoreError)
  }

  async #send(name: string, lockTimeout: number): Promise<void> {
    if (!(await clientNames()).includes(name)) return
    const outcome = await withLock(name, lockTimeout, async (publish, signal) => {
      const outbox = new BackgroundOutbox(name)
      const http = new Http(name.split(' ')[1] ?? '', undefined)
      try {
        await this.#signIn(name, http)
        return await sendOutbox({ outbox, http, publish, signal })
      } finally {
        http.close()
        outbox.close()
      }
    })
    if (outcome !== 'none') throw new WeftError('unavailable', 'some writes were not sent')
  }

  /** Signs in as the user of the open pages or, if there are none, of the saved token. */
  async #signIn(name: string, http: Http): Promise<void> {
    if (!this.#credentials.has(name)) await this.#askPages()
    const credentials = this.#credentials.get(name)
    http.token = credentials ? credentials.token : await readSetting<string>(name, tokenSetting)
    if (credentials?.session) http.session = credentials.session
    http.renewToken = async () => {
      const token = await this.#pages.renewToken(name, http.token)
      if (token) http.token = token
    }
  }

  /** Asks all pages to greet, and waits for the first greeting. */
  async #askPages(): Promise<void> {
    const pages = await scope.clients.matchAll({ includeUncontrolled: true })
    if (pages.length === 0) return
    const question: Question = { weft: 'who' }
    await new Promise<void>((resolve) => {
      this.#onGreeted = resolve
      for (const page of pages) page.postMessage(question)
      setTimeout(resolve, greetingTimeout)
    })
  }
}

/** Returns the names of the clients that have databases in this browser. */
async function clientNames(): Promise<string[]> {
  const all = (await indexedDB.databases()).map(({ name = '' }) => name)
  return all.filter(
    (name) => /^weft /.test(name) && !all.some((other) => name === `${other} cache`),
  )
}
