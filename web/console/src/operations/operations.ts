import { type Page, request } from '../model/request.ts'

/** The health of the server. Sizes are in bytes. */
export interface Health {
  readonly status: 'ok' | 'degraded'
  readonly problems: readonly string[]
  readonly version: string
  readonly started: string
  /** Seconds since the start. */
  readonly uptime: number
  readonly memory: {
    readonly heap: number
    readonly system: number
    /** The memory that requests occupy, and its limit. */
    readonly requests: number
    readonly requestsMax: number
  }
  readonly disk: { readonly status: string; readonly free: number; readonly reserve: number } | null
  /** The time that the store took to respond, in milliseconds. */
  readonly storeTook: number
}

/**
 * Totals and response times of requests. `refused` counts responses with status 4xx, `failed` responses with 5xx. `p50`, `p95`
 * and `worst` are in milliseconds.
 */
interface Sums {
  readonly requests: number
  readonly refused: number
  readonly failed: number
  readonly bytes: number
  readonly p50: number
  readonly p95: number
  readonly worst: number
}

/** Requests by minute, oldest first, and by route since the start. */
export interface Traffic {
  readonly minutes: readonly (Sums & { readonly at: string })[]
  readonly routes: readonly (Sums & { readonly route: string })[]
}

/** A slow query with its plan. `took` is in milliseconds. */
export interface SlowQuery {
  readonly number: number
  readonly at: string
  readonly took: number
  readonly request: string
  readonly user: number
  readonly type: string
  readonly plan: string
  readonly error?: string
}

/** A line of the server's log. */
export interface LogLine {
  readonly number: number
  readonly at: string
  readonly level: string
  readonly message: string
  readonly attrs: Readonly<Record<string, string>>
}

/** An entry that a browser reported. */
export interface ClientLog {
  readonly id: string
  readonly type: string
  readonly received: string
  readonly user: number
  readonly session?: string
  readonly entry: unknown
}

/** The visits in a period. `seconds` is the known time spent on a page. */
export interface Visits {
  readonly visits: number
  readonly sessions: number
  readonly pages: readonly {
    readonly application: string
    readonly page: string
    readonly visits: number
    readonly seconds: number
  }[]
  /** Quarters of an hour with visits, oldest first. */
  readonly quarters: readonly {
    readonly at: string
    readonly visits: number
    readonly sessions: number
  }[]
}

/** An e-mail with the state of each recipient. */
export interface Mail {
  readonly id: string
  readonly subject: string
  readonly created: string
  readonly state: 'queued' | 'sent' | 'failed'
  readonly attempts: number
  readonly next?: string
  readonly to: readonly { readonly address: string; readonly error?: string }[]
}

/** An upload of any user. `size` is in bytes. */
export interface Upload {
  readonly name: string
  readonly owner: number
  readonly email: string
  readonly kind: string
  readonly size: number
  readonly created: string
  readonly original?: string
  readonly url: string
}

/** The space that uploads use, in bytes. */
export interface Space {
  readonly total: number
  readonly quota: number
  readonly owners: readonly {
    readonly owner: number
    readonly email: string
    readonly bytes: number
  }[]
}

/** A record in the usage ranking. */
export interface Used {
  readonly id: number
  readonly uses: number
  readonly type: string
  readonly value: string
}

/** A background job. `took` is in milliseconds. */
export interface Job {
  readonly name: string
  readonly every: string
  readonly running: boolean
  readonly began?: string
  readonly took: number
  readonly result: string
  readonly next?: string
  readonly details?: string
}

/** The file of a backup. */
export interface Archive {
  readonly name: string
  readonly made: string
  /** In bytes. */
  readonly size: number
  /** The last check by restoring; null if there was none since the server started. */
  readonly verified: { readonly at: string; readonly error?: string } | null
}

/** A page of the backups, their schedule (null without one), and the last task, which may still run. */
export interface Backups {
  readonly place: string
  readonly schedule: {
    readonly every: string
    readonly keep: number
    readonly succeeded: string | null
    readonly failed: string | null
    readonly error: string
    readonly next: string | null
  } | null
  readonly work: {
    readonly kind: '' | 'make' | 'verify'
    readonly name: string
    readonly began?: string
    readonly ended?: string
    readonly error?: string
  }
  readonly backups: readonly Archive[]
  readonly next: string
}

/** A setting of the server with its source. */
export interface Setting {
  readonly name: string
  readonly group: string
  readonly value: unknown
  readonly default: string
  readonly source: 'flag' | 'environment' | 'file' | 'default'
  readonly environment: string
  readonly help: string
}

/** The version of the server. `notes` is Markdown. */
export interface Version {
  readonly version: string
  readonly go: string
  readonly system: string
  readonly notes: string
}

/** The number of rows on a page. */
const pageSize = 50

type Values = Readonly<Record<string, string | number | undefined>>

/** Returns a path with parameters; empty parameters are left out. */
export function pathOf(path: string, values: Values): string {
  const all = new URLSearchParams()
  for (const [name, value] of Object.entries(values))
    if (value !== undefined && value !== '') all.set(name, String(value))
  return `${path}?${all}`
}

export const slowPath = (before: string, limit = pageSize): string =>
  pathOf('/api/admin/slow-queries', { before, limit })

/** Loads a page of slow queries. */
export async function loadSlow(path: string): Promise<Page<SlowQuery>> {
  const { queries, next } = await request<{ queries: readonly SlowQuery[]; next: number }>(path)
  return { rows: queries, next: cursorText(next) }
}

export const logPath = (level: string, text: string, before: string, limit = pageSize): string =>
  pathOf('/api/admin/log', { level, text, before, limit })

/** Loads a page of the server's log. */
export async function loadLog(path: string): Promise<Page<LogLine>> {
  const { lines, next } = await request<{ lines: readonly LogLine[]; next: number }>(path)
  return { rows: lines, next: cursorText(next) }
}

const cursorText = (next: number): string => (next > 0 ? String(next) : '')

export const clientLogPath = (level: string, text: string, before: string): string =>
  pathOf('/api/logs', { level, text, before, limit: pageSize })

/** Loads a page of entries that browsers reported. */
export async function loadClientLog(path: string): Promise<Page<ClientLog>> {
  const { data, before } = await request<{
    data: readonly ClientLog[] | null
    before?: string
  }>(path)
  return { rows: data ?? [], next: before ?? '' }
}

export const mailPath = (state: string, after: string): string =>
  pathOf('/api/admin/mail', { state, after, inpage: pageSize })

/** Loads a page of e-mails. */
export async function loadMail(path: string): Promise<Page<Mail>> {
  const { mails, next } = await request<{ mails: readonly Mail[]; next: string }>(path)
  return { rows: mails, next }
}

export const uploadsPath = (after: string): string =>
  pathOf('/api/admin/uploads', { after, inpage: pageSize })

/** Loads a page of uploads. */
export async function loadUploads(path: string): Promise<Page<Upload>> {
  const { uploads, next } = await request<{ uploads: readonly Upload[]; next: string }>(path)
  return { rows: uploads, next }
}

/** Loads a list that has one page. */
export const loadAll = async <T>(path: string): Promise<Page<T>> => ({
  rows: (await request<readonly T[] | null>(path)) ?? [],
  next: '',
})

/** Returns a duration in milliseconds in readable form: `0.4 ms`, `380 ms`, `1.4 s`. */
export function durationText(ms: number): string {
  if (ms >= 1_000) return `${(ms / 1_000).toFixed(1)} s`
  return ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`
}

/** Returns a Go duration in readable form: `24h0m0s` is "24 hours", `15m0s` "15 minutes". */
export function intervalText(text: string): string {
  const names: Readonly<Record<string, string>> = { h: 'hour', m: 'minute', s: 'second' }
  const parts = [...text.matchAll(/([\d.]+)([hms])/g)]
    .filter(([, n]) => Number(n) > 0)
    .map(([, n, unit = '']) => `${n} ${names[unit]}${n === '1' ? '' : 's'}`)
  return parts.join(' ')
}
