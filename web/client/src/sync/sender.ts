import { isType } from '../model/concept.ts'
import { asWeftError, placeOf, type WeftError } from '../model/error.ts'
import { isReal } from '../model/id.ts'
import type { Failure, Mutation, Receipt } from '../model/mutation.ts'
import type { Http } from '../wire/http.ts'
import { ignoreError } from '../wire/retry.ts'
import { decodeReceipt, encodeSync, type ServerIds } from '../wire/sync-codec.ts'
import { referencesOf } from './dependencies.ts'
import { keysOf } from './dependents.ts'
import { filterWholeUnits, isReady, nextGroup, senderOf, type Unit } from './request-groups.ts'

/** The page or service worker that uses a sender: the dependencies of the sender, and callbacks for its results. */
export interface SendHost {
  readonly http: Http
  /** Returns real ids for local ids. It must have the ids of a receipt before `onSettled` resolves. */
  readonly names: ServerIds
  /** The user who is signed in. */
  user(): string | undefined
  /** Called when a request with these writes begins. */
  onSending?(keys: readonly string[]): void
  /** Called when a request with these writes has ended without a receipt. */
  onUnsent?(keys: readonly string[]): void
  /** Called when the server has accepted these writes together. `user` made them; undefined for a guest. */
  onSettled(keys: readonly string[], receipt: Receipt, user: string | undefined): Promise<void>
  /** Called when the server has permanently refused writes. */
  onRefused(keys: readonly string[], failure: Failure): Promise<void>
  /** Called when the signed-in user adopts guest writes that the server does not have. */
  onAdopted(keys: readonly string[], user: string): Promise<void>
}

/**
 * How a call of `send` ended.
 *
 * sent    the request was handled; more writes may be ready
 * none    no write can be sent
 * wait    the server does not respond, or failed: try again when it responds
 * token   the server requires another token
 */
export type SendOutcome = 'sent' | 'none' | 'wait' | 'token'

/** One request. */
interface Attempt {
  readonly group: readonly Unit[]
  /** Sends as the guest who made the writes, although a user is signed in. */
  readonly asGuest: boolean
  /** Repeats the request once after a conflict, which a concurrent write may have caused. */
  readonly retryConflict: boolean
}

const path = '/api/v1/local-concepts'

/**
 * Sends writes to the server, one request after the other: a caller must await each `send` before the next. The server
 * recognises a repeated request by its local ids, so sending it again has no effect.
 *
 *   send ─▶ nextGroup ─▶ adoptGuestWrites (guest writes of a user) ─▶ deliver ─▶ onSettled
 *                                                                       └─ error ─▶ onError: resend, wait or refuse
 */
export class Sender {
  readonly #host: SendHost
  /** Keys of writes that caused an error of the server. Writes about other records are sent before them. */
  readonly #failing = new Set<string>()

  constructor(host: SendHost) {
    this.#host = host
  }

  /** Sends one group of these writes. If the server refuses the group, sends each unit alone. */
  async send(writes: readonly Mutation[]): Promise<SendOutcome> {
    const group = this.#nextGroup(writes)
    if (group.length === 0) return 'none'
    const isGuestGroup = !group.some(senderOf)
    if (this.#host.user() !== undefined && isGuestGroup) return this.#adoptGuestWrites(group)
    return this.#deliver({ group, asGuest: false, retryConflict: true })
  }

  #nextGroup(writes: readonly Mutation[]): readonly Unit[] {
    const { names, user } = this.#host
    const failingIds = new Set(writes.filter((m) => this.#failing.has(m.key)).map((m) => m.id))
    const others = filterWholeUnits(writes, (m) => !failingIds.has(m.id))
    const group = nextGroup(others, names, user())
    if (group.length > 0 || this.#failing.size === 0) return group
    this.#failing.clear()
    return nextGroup(writes, names, user())
  }

  /**
   * Assigns guest writes to the user who has signed in since. If the server already has a write because only its
   * response was lost, the write is sent again as the guest, so that the server recognises it.
   */
  async #adoptGuestWrites(group: readonly Unit[]): Promise<SendOutcome> {
    const { user, onAdopted } = this.#host
    const currentUser = user()
    let known: readonly Unit[]
    try {
      const isKnown = await Promise.all(group.map((unit) => this.#serverHas(unit)))
      if (user() !== currentUser || currentUser === undefined) return 'sent'
      const adopted = group.filter((_, i) => !isKnown[i])
      if (adopted.length > 0) await onAdopted(keysOf(adopted.flat()), currentUser)
      known = group.filter((_, i) => isKnown[i])
    } catch (e) {
      return this.#outcomeOf(asWeftError(e))
    }
    if (known.length === 0) return 'sent'
    return this.#deliver({ group: known, asGuest: true, retryConflict: true })
  }

  /** Reports whether the server has the first write of a unit from the guest's session. */
  async #serverHas([m]: Unit): Promise<boolean> {
    const { http } = this.#host
    const created = m?.concepts.find((c) => !isType(c))
    // The server cannot look up a write that only creates links: assume that it was sent.
    if (!created) return (m?.connections.length ?? 0) > 0
    const guest = m?.session ?? http.session
    const response = await http
      .post('/api/v1/local-concepts-translate', { id: created.id }, { guest })
      .catch((e) => {
        if (outcomeOf(asWeftError(e)) === 'wait') throw e
      })
    return isReal((response as { id?: number } | undefined)?.id ?? 0)
  }

  async #deliver(attempt: Attempt): Promise<SendOutcome> {
    const { http, names, user, onSending, onUnsent, onSettled } = this.#host
    const writes = attempt.group.flat()
    const keys = keysOf(writes)
    const currentUser = user()
    const request = encodeSync(writes, names)
    const isGuest = attempt.asGuest || currentUser === undefined
    const guest = isGuest ? (writes[0]?.session ?? http.session) : undefined
    onSending?.(keys)
    let receipt: Receipt
    try {
      receipt = decodeReceipt(await http.post(path, request, { guest }), request, writes)
    } catch (e) {
      onUnsent?.(keys)
      // If the user signed out in the meantime, the writes are sent again after the next sign-in of that user.
      return user() === currentUser ? this.#onError(asWeftError(e), attempt, request.store) : 'sent'
    }
    await onSettled(keys, receipt, isGuest ? undefined : currentUser)
    return 'sent'
  }

  /** Handles the error of a request. `store` is the identity of the store that the request was for. */
  async #onError(
    error: WeftError,
    attempt: Attempt,
    store: string | undefined,
  ): Promise<SendOutcome> {
    const { http, names, onRefused } = this.#host
    const { group, asGuest } = attempt
    const writes = group.flat()
    const isSingle = group.length === 1
    const outcome = outcomeOf(error)
    const needsUser = outcome === 'token' || (error.kind === 'forbidden' && isSingle)
    if (asGuest && needsUser) return this.#resendAsUser(writes)
    if (error.kind === 'internal' && !isSingle) return this.#deliverEach(attempt)
    if (error.kind === 'internal') this.#failing.add(writes[0]?.key ?? '')
    if (outcome !== 'sent') return this.#outcomeOf(error)
    // The server switched stores, or does not respond: send again in both cases.
    if (error.kind === 'conflict' && (await http.checkHealth().catch(ignoreError)) !== store)
      return 'sent'
    if (!isSingle) return this.#deliverEach(attempt)
    if (error.kind === 'conflict' && attempt.retryConflict)
      return this.#deliver({ ...attempt, retryConflict: false })
    await onRefused(keysOf(writes), failureOf(error, writes, names))
    return 'sent'
  }

  /** Sends each unit of a group in its own request, so that only invalid units fail. */
  async #deliverEach({ group, asGuest }: Attempt): Promise<SendOutcome> {
    for (const unit of group) {
      if (!isReady(unit, new Set(), this.#host.names)) continue
      const outcome = await this.#deliver({ group: [unit], asGuest, retryConflict: true })
      if (outcome !== 'sent') return outcome
    }
    return 'sent'
  }

  /** Assigns guest writes to the user after the server refused them from a guest, so that they are sent again. */
  async #resendAsUser(writes: readonly Mutation[]): Promise<SendOutcome> {
    const { user, onAdopted } = this.#host
    const currentUser = user()
    if (currentUser !== undefined) await onAdopted(keysOf(writes), currentUser)
    return 'sent'
  }

  #outcomeOf(error: WeftError): SendOutcome {
    const outcome = outcomeOf(error)
    if (outcome === 'wait') this.#host.http.reportUnreachable()
    return outcome
  }
}

/**
 * Classifies an error: `wait` if the server did not process the request, `token` if it requires another token, `sent`
 * if it refused the request.
 */
function outcomeOf({ kind }: WeftError): 'wait' | 'token' | 'sent' {
  if (kind === 'unavailable' || kind === 'internal') return 'wait'
  return kind === 'unauthorized' ? 'token' : 'sent'
}

/**
 * Returns the failure to show to the user. For a write that refers to a removed record, the server's message names a
 * part of the request that means nothing to a user. The returned message says instead that the record was removed.
 */
function failureOf(error: WeftError, writes: readonly Mutation[], names: ServerIds): Failure {
  const { kind, message } = error
  const ids = writes.flatMap((m) => referencesOf({ ...m, removeConnections: [] }, names))
  const records = new Set(ids.filter(isReal)).size
  if (kind !== 'notFound' || records === 0) return { kind, message, ...placeOf(error) }
  const which = records === 1 ? 'the record' : 'a record that this changes or links'
  return { kind, message: `${which} no longer exists: it was removed elsewhere` }
}
