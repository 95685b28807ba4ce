import { type Happening, latest, subscribe } from './visit.ts'

/** Whether the visit is sent to the server, and how that went. */
export type Sending =
  | { readonly state: 'off' | 'on' }
  | { readonly state: 'failed'; readonly message: string }

/** How long happenings are gathered before they are sent, in milliseconds. */
const gather = 3_000

let sending: Sending = { state: 'off' }
let listeners: readonly (() => void)[] = []
let sent = 0
let timer: ReturnType<typeof setTimeout> | undefined
let leave: (() => void) | undefined

export const sendingNow = (): Sending => sending

export function watchSending(changed: () => void): () => void {
  listeners = [...listeners, changed]
  return () => {
    listeners = listeners.filter((other) => other !== changed)
  }
}

/** Whether the browser asks sites to leave its user alone. */
export function asksToBeLeft(): boolean {
  const { doNotTrack, globalPrivacyControl } = navigator as Navigator & {
    readonly globalPrivacyControl?: boolean
  }
  return doNotTrack === '1' || globalPrivacyControl === true
}

/** From now on what happens is sent; what happened before stays here. */
export function switchOn(): void {
  sent = latest().happenings.at(-1)?.nth ?? 0
  leave ??= subscribe(() => {
    timer ??= setTimeout(() => void send(), gather)
  })
  become({ state: 'on' })
}

export function switchOff(): void {
  stop()
  become({ state: 'off' })
}

function stop(): void {
  clearTimeout(timer)
  timer = undefined
  leave?.()
  leave = undefined
}

/** What the server is sent for these: this and nothing else. */
export const messageOf = (happenings: readonly Happening[]) => ({
  logType: 'app',
  logData: happenings.map(({ kind, at, says, value }) => ({
    timestamp: new Date(at).toISOString(),
    level: kind === 'error' ? 'error' : 'info',
    message: `${kind}: ${says}`,
    ...(value !== undefined && { data: { value } }),
  })),
})

async function send(): Promise<void> {
  timer = undefined
  const { happenings } = latest()
  const fresh = happenings.filter(({ nth }) => nth > sent)
  if (fresh.length === 0) return
  sent = fresh.at(-1)?.nth ?? sent
  const answer = await fetch('/api/logger', {
    credentials: 'omit',
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(messageOf(fresh)),
  }).catch(() => undefined)
  if (answer?.ok) return
  const said = (await answer?.json().catch(() => undefined)) as { message?: string } | undefined
  stop()
  become({ state: 'failed', message: said?.message ?? 'the server does not answer' })
}

function become(next: Sending): void {
  sending = next
  for (const changed of listeners) changed()
}
