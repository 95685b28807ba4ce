import type { TabStatus } from './agent.ts'
import { nameOf } from './judge.ts'
import type { Model, WriteModel } from './model.ts'
import type { Tab } from './platform.ts'

/**
 * After this time without a change of its status, a tab counts as stuck, in ms. It is longer than the longest backoff
 * that can build up during a trial.
 */
const idleTimeout = 40_000
/** After this time without a change of their status, tabs that wait for an action of a user count as settled, in ms. */
const settledDelay = 2_500
/** The number of times that failed writes are retried. */
const maxRetries = 2

/**
 * Waits until no tab has anything to send, and retries failed writes as a user would. Marks writes that the server
 * still refuses in the model. Returns a sentence for every other write that is left.
 */
export async function drain(
  tabs: readonly Tab[],
  model: Model,
  log: (line: string) => void,
): Promise<string[]> {
  for (let retries = 0; ; retries++) {
    const statuses = await untilSettled(tabs)
    log(`statuses ${JSON.stringify(statuses)}`)
    const refused = statuses.some(({ failed, needsToken }) => needsToken || failed.length > 0)
    const names = tabs.map(({ name }) => name)
    const wrong = statuses.flatMap(({ failed }, i) =>
      failed.flatMap((failure) => checkFailure(names[i], failure)),
    )
    if (wrong.length > 0) return wrong
    if (!refused || retries === maxRetries)
      return statuses.flatMap((status, i) => checkRemaining(names[i] ?? '', status, model))
    log('retry')
    for (const tab of tabs) await tab.carryOut({ do: 'retry' })
  }
}

/**
 * Waits until no write is pending, or until the statuses have not changed for `settledDelay` (if a user must act) or
 * `idleTimeout` (otherwise). Returns the statuses.
 */
async function untilSettled(tabs: readonly Tab[]): Promise<TabStatus[]> {
  let before = ''
  for (let changed = performance.now(); ; ) {
    const statuses = await Promise.all(tabs.map((tab) => tab.status()))
    const now = performance.now()
    if (JSON.stringify(statuses) !== before) changed = now
    before = JSON.stringify(statuses)
    const needsUser =
      statuses.every((s) => s.online || s.pending.length === 0) &&
      statuses.some(({ failed, needsToken }) => needsToken || failed.length > 0)
    if (statuses.every(({ pending }) => pending.length === 0)) return statuses
    if (now > changed + (needsUser ? settledDelay : idleTimeout)) return statuses
    await new Promise((done) => setTimeout(done, 100))
  }
}

/** Checks the reason of a failure: a write that the server did not process must be sent again, not shown as failed. */
const checkFailure = (
  tab: string | undefined,
  { key, reason }: TabStatus['failed'][number],
): string[] =>
  /^(unavailable|internal|unauthorized):/.test(reason)
    ? [`${tab} shows ${key} as failed, but the server did not process it: ${reason}`]
    : []

/**
 * Checks the writes that are left in a tab: only a write about a removed record may be refused, or depend on a refused
 * write.
 */
function checkRemaining(tab: string, { pending, failed }: TabStatus, model: Model): string[] {
  const wrong: string[] = []
  const find = (key: string): WriteModel | undefined =>
    [...model.writes.values()].find((write) => write.key === key)
  for (const { key, reason } of failed) {
    const write = find(key)
    if (!write) wrong.push(`${tab} shows a failed write that no tab made: ${key}, ${reason}`)
    else if (write.synced !== undefined)
      wrong.push(
        `${tab} shows ${nameOf(write)} as failed, but it was reported as synced: ${reason}`,
      )
    else write.refused = reason
  }
  for (const key of pending) {
    const write = find(key)
    const isAboutRemoved = write?.about.removed || write?.to?.removed
    if (write && isAboutRemoved && failed.length > 0) write.refused = 'depends on a refused write'
    else wrong.push(`${tab} still has ${write ? nameOf(write) : key} pending`)
  }
  return wrong
}
