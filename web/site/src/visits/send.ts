import { currentVisit, subscribe, type VisitEvent } from './visit.ts'

/**
 * Whether new events are sent to the server:
 *
 *   off ─ startSending ─▶ on ─ the server refuses or cannot be reached ─▶ failed
 *    ▲                    │ ▲                                               │
 *    └─── stopSending ────┘ └───────────────── startSending ────────────────┘
 */
export type Sending =
  | { readonly state: 'off' | 'on' }
  | { readonly state: 'failed'; readonly message: string }

/** How long events are collected before they are sent, in milliseconds. */
const sendDelayMs = 3_000

let sending: Sending = { state: 'off' }
let listeners: readonly (() => void)[] = []
/** The number of the last event that was sent, or that was recorded before sending was turned on. */
let lastSent = 0
let timer: ReturnType<typeof setTimeout> | undefined
let unsubscribe: (() => void) | undefined

export const sendingState = (): Sending => sending

export function subscribeSending(listener: () => void): () => void {
  listeners = [...listeners, listener]
  return () => {
    listeners = listeners.filter((other) => other !== listener)
  }
}

/** Reports whether the browser sends Do Not Track or Global Privacy Control. */
export function asksNotToBeTracked(): boolean {
  const { doNotTrack, globalPrivacyControl } = navigator as Navigator & {
    readonly globalPrivacyControl?: boolean
  }
  return doNotTrack === '1' || globalPrivacyControl === true
}

/** Sends new events from now on. Earlier events are not sent. */
export function startSending(): void {
  lastSent = currentVisit().events.at(-1)?.number ?? 0
  unsubscribe ??= subscribe(() => {
    timer ??= setTimeout(() => void sendEvents(), sendDelayMs)
  })
  setSending({ state: 'on' })
}

export function stopSending(): void {
  stop()
  setSending({ state: 'off' })
}

function stop(): void {
  clearTimeout(timer)
  timer = undefined
  unsubscribe?.()
  unsubscribe = undefined
}

/** Returns the request body for events. The server receives nothing else. */
export const logMessage = (events: readonly VisitEvent[]) => ({
  logType: 'app',
  logData: events.map(({ kind, time, text, value }) => ({
    timestamp: new Date(time).toISOString(),
    level: kind === 'error' ? 'error' : 'info',
    message: `${kind}: ${text}`,
    ...(value !== undefined && { data: { value } }),
  })),
})

async function sendEvents(): Promise<void> {
  timer = undefined
  const unsent = currentVisit().events.filter(({ number }) => number > lastSent)
  if (unsent.length === 0) return
  lastSent = unsent.at(-1)?.number ?? lastSent
  const response = await fetch('/api/logger', {
    credentials: 'omit',
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(logMessage(unsent)),
  }).catch(() => undefined)
  if (response?.ok) return
  const error = (await response?.json().catch(() => undefined)) as { message?: string } | undefined
  stop()
  setSending({ state: 'failed', message: error?.message ?? 'the server cannot be reached' })
}

function setSending(next: Sending): void {
  sending = next
  for (const listener of listeners) listener()
}
