import type { Standing } from './agent.ts'
import type { Tab } from './form.ts'
import type { Made, Model } from './model.ts'
import { named } from './verdict.ts'

/**
 * How long nothing may change before a tab is given up, in ms: beyond the longest wait between two tries of those who
 * found no server for the length of a trial.
 */
const patience = 40_000
/** After so long without a change those who are online, and have something refused, are not about to send. */
const quiet = 2_500

/**
 * Waits until no tab has anything left to send, and presses the button of what failed, as a user does. What the
 * server refuses even then is marked so in the model. Returns a sentence for everything that stays.
 */
export async function drained(
  tabs: readonly Tab[],
  model: Model,
  note: (line: string) => void,
): Promise<string[]> {
  for (let pressed = 0; ; pressed++) {
    const stands = await settled(tabs)
    note(`stands ${JSON.stringify(stands)}`)
    const refused = stands.some(({ failed, needsToken }) => needsToken || failed.length > 0)
    const names = tabs.map(({ name }) => name)
    const wrong = stands.flatMap(({ failed }, i) => failed.flatMap((one) => hasty(names[i], one)))
    if (wrong.length > 0) return wrong
    if (!refused || pressed === 2)
      return stands.flatMap((standing, i) => left(names[i] ?? '', standing, model))
    note('the button is pressed')
    for (const tab of tabs) await tab.carryOut({ do: 'retry' })
  }
}

/** Waits until nothing waits, or somebody has to do something about it. */
async function settled(tabs: readonly Tab[]): Promise<Standing[]> {
  let before = ''
  for (let changed = performance.now(); ; ) {
    const stands = await Promise.all(tabs.map((tab) => tab.standing()))
    const now = performance.now()
    if (JSON.stringify(stands) !== before) changed = now
    before = JSON.stringify(stands)
    const stuck =
      stands.every((s) => s.online || s.waiting.length === 0) &&
      stands.some(({ failed, needsToken }) => needsToken || failed.length > 0)
    if (stands.every(({ waiting }) => waiting.length === 0)) return stands
    if (now > changed + (stuck ? quiet : patience)) return stands
    await new Promise((done) => setTimeout(done, 100))
  }
}

/** What the server had no time for is tried again, and no reason to bother a user. */
const hasty = (tab: string | undefined, { key, why }: Standing['failed'][number]): string[] =>
  /^(unavailable|internal|unauthorized):/.test(why)
    ? [`${tab} shows ${key} as failed, which was only not looked at: ${why}`]
    : []

/** What is refused, or waits for what is refused, is so because somebody removed the record. */
function left(tab: string, { waiting, failed }: Standing, model: Model): string[] {
  const wrong: string[] = []
  const made = (key: string): Made | undefined =>
    [...model.writes.values()].find((made) => made.key === key)
  for (const { key, why } of failed) {
    const write = made(key)
    if (!write) wrong.push(`${tab} shows a failed write that nobody made: ${key}, ${why}`)
    else if (write.synced !== undefined)
      wrong.push(`${tab} shows ${named(write)} as failed, which it was told is synced: ${why}`)
    else write.refused = why
  }
  for (const key of waiting) {
    const write = made(key)
    const lost = write?.about.removed || write?.to?.removed
    if (write && lost && failed.length > 0) write.refused = 'waits for what was refused'
    else wrong.push(`${tab} still waits with ${write ? named(write) : key}`)
  }
  return wrong
}
