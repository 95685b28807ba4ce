import { isType } from '../graph/concept.ts'
import { asWeftError, type WeftError } from '../graph/error.ts'
import { isReal } from '../graph/id.ts'
import type { Mutation, Receipt } from '../graph/mutation.ts'
import type { Http } from '../wire/http.ts'
import { type Names, receiptOf, syncOf } from '../wire/sync.ts'
import { ignore } from '../wire/wait.ts'
import { groupOf, isReady, senderOf, type Unit, wholly } from './group.ts'
import { keysOf } from './keys.ts'

/** What sending needs, and whom it tells. The names must know what was settled by the time that is told. */
export interface Sending {
  readonly http: Http
  readonly names: Names
  /** Who is signed in. */
  user(): string | undefined
  /** The server took writes of a user, all at once. */
  settled(keys: readonly string[], receipt: Receipt, user: string | undefined): Promise<void>
  /** The server refused writes for good. */
  refused(keys: readonly string[], error: WeftError): Promise<void>
  /** Somebody signed in takes over writes that nobody made, from before they are first sent. */
  adopted(keys: readonly string[], user: string): Promise<void>
}

/** `sent`: there may be more to send. `none`: nothing can go. `wait`: until the server is well. `token`: until there is one. */
export type Verdict = 'sent' | 'none' | 'wait' | 'token'

/**
 * Sends writes to the server: each call one request, and more where that is refused. Its code is loaded once the page has
 * started. Every call is to await the one before.
 */
export function sending({ http, names, user, settled, refused, adopted }: Sending) {
  /** The first of units that the server fails at. Those that do not build on them are tried before them. */
  const failing = new Set<string>()

  async function send(waiting: readonly Mutation[]): Promise<Verdict> {
    const group = next(waiting)
    if (group.length === 0) return 'none'
    if (user() === undefined || group.some(senderOf)) return deliver(group)
    return settleWho(group)
  }

  function next(waiting: readonly Mutation[]): readonly Unit[] {
    const about = new Set(waiting.filter((m) => failing.has(m.key)).map((m) => m.id))
    const others = wholly(waiting, (m) => !about.has(m.id))
    let group = groupOf(others, names, user())
    if (group.length === 0 && failing.size > 0) {
      failing.clear()
      group = groupOf(waiting, names, user())
    }
    return group
  }

  /**
   * What somebody wrote before signing in is theirs, unless it reached the server before that, and its answer got
   * lost: then it is sent again as it was then, and nothing is made twice.
   */
  async function settleWho(group: readonly Unit[]): Promise<Verdict> {
    const me = user()
    try {
      const taken = await Promise.all(group.map((unit) => isTaken(unit)))
      if (user() !== me || me === undefined) return 'sent'
      const mine = group.filter((_, i) => !taken[i])
      if (mine.length > 0) await adopted(keysOf(mine.flat()), me)
      const known = group.filter((_, i) => taken[i])
      return known.length > 0 ? deliver(known, true) : 'sent'
    } catch (e) {
      return put(asWeftError(e))
    }
  }

  /** Says whether the server knows a write under the session of somebody who is not signed in. */
  async function isTaken([m]: Unit): Promise<boolean> {
    const made = m?.concepts.find((c) => !isType(c))
    // Of a link alone it cannot be asked: it goes as it would have gone then.
    if (!made) return (m?.connections.length ?? 0) > 0
    const asked = { id: made.id }
    const guest = m?.session ?? http.session
    const answer = await http
      .post('/api/v1/local-concepts-translate', asked, { guest })
      .catch((e) => {
        if (verdictOn(asWeftError(e)) === 'wait') throw e
      })
    return isReal((answer as { id?: number } | undefined)?.id ?? 0)
  }

  /** Sends a group as one request. When it is refused, each unit is sent alone, and only those at fault fail. */
  async function deliver(group: readonly Unit[], asGuest = false, again = true): Promise<Verdict> {
    const writes = group.flat()
    const me = user()
    const request = syncOf(writes, names)
    const guest = asGuest || me === undefined ? (writes[0]?.session ?? http.session) : undefined
    let receipt: Receipt
    try {
      receipt = receiptOf(await http.post(path, request, { guest }), request, writes)
    } catch (e) {
      const error = asWeftError(e)
      // What was refused to somebody who has gone is asked again when they are back.
      if (user() !== me) return 'sent'
      const verdict = verdictOn(error)
      const isTheirs = verdict === 'token' || (error.kind === 'forbidden' && group.length === 1)
      if (asGuest && isTheirs) return turn(group)
      if (error.kind === 'internal' && group.length > 1) return each(group, asGuest)
      if (error.kind === 'internal') failing.add(writes[0]?.key ?? '')
      if (verdict !== 'sent') return put(error)
      // Other data than the request was for, or nobody to say: either way it is sent again.
      const { store } = request
      if (error.kind === 'conflict' && (await http.probe().catch(ignore)) !== store) return 'sent'
      if (group.length > 1) return each(group, asGuest)
      // It may have met what somebody else was writing.
      if (error.kind === 'conflict' && again) return deliver(group, asGuest, false)
      await refused(keysOf(writes), error)
      return 'sent'
    }
    await settled(keysOf(writes), receipt, guest === undefined ? me : undefined)
    return 'sent'
  }

  async function each(group: readonly Unit[], asGuest: boolean): Promise<Verdict> {
    for (const unit of group) {
      const verdict = isReady(unit, new Set(), names) ? await deliver([unit], asGuest) : 'sent'
      if (verdict !== 'sent') return verdict
    }
    return 'sent'
  }

  /** What the server takes from nobody who is not signed in, it takes from who is. */
  async function turn(group: readonly Unit[]): Promise<Verdict> {
    const me = user()
    if (me !== undefined) await adopted(keysOf(group.flat()), me)
    return 'sent'
  }

  function put(error: WeftError): Verdict {
    const verdict = verdictOn(error)
    if (verdict === 'wait') http.doubt()
    return verdict
  }

  return send
}

const path = '/api/v1/local-concepts'

/** What a refusal means: nobody looked at it, nobody knows who asks, or the request was looked at and is not wanted. */
function verdictOn({ kind }: WeftError): 'wait' | 'token' | 'sent' {
  if (kind === 'unavailable' || kind === 'internal') return 'wait'
  return kind === 'unauthorized' ? 'token' : 'sent'
}
