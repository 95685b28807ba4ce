/**
 * The bridge protocol between a page and the sandbox frame of a widget.
 *
 * Page side: `SandboxFrame` (sandbox-frame.ts). Frame side: `FrameBridge` (frame/frame-bridge.ts), in the document at
 * `/api/v1/widgets/frame`. That document has only the sandbox flag `allow-scripts` and therefore an opaque origin: it
 * has no cookies, no storage and no token, and its policy allows no network access. Both sides exchange JSON strings
 * over one MessagePort.
 *
 *   page                                     frame
 *    │  window message `weft-port` + port ──▶ │   once, when the iframe has loaded
 *    │  start {version, widget, props, theme} │   draws the widget and starts its code
 *    │ ◀────────────────────────────── ready  │   everything has started: the page removes the static HTML
 *    │  props, theme ───────────────────────▶ │   whenever they change
 *    │ ◀───────────────────────────── height  │   whenever the height of the content changes
 *    │ ◀─────────────────────────────── call  │   get, query, record or find, run with a guest's access
 *    │  answer or refusal {call} ───────────▶ │   the result or the error of that call
 *    │ ◀───────────────────── notify, failed  │   for onNotify and onError of the component
 *    │  ping ───────────────────────────────▶ │   every second; `pong` is due within 5 seconds
 *
 * The page does not trust the frame. Every message is parsed by `readFromFrame`. The page removes the frame, and offers
 * to start it again, after a malformed or oversized message, too many messages, 5 seconds without a pong, or a second
 * load.
 *
 * Costs per frame: one document and one script (5 KB compressed) that all frames share in the HTTP cache, one ping per
 * second, one read request per call.
 */
import { memberOf, textIn } from '../stored/json.ts'
import type { WidgetTree } from '../stored/widget-tree.ts'

/** The frame refuses to start with a page of another version. */
export const protocolVersion = 1

/** Sent to the frame's window once, together with the port. */
export const greeting = 'weft-port'

export type ToFrame =
  | {
      readonly kind: 'start'
      readonly version: number
      readonly widget: WidgetTree
      readonly props: unknown
      readonly theme: Theme
    }
  | { readonly kind: 'props'; readonly props: unknown }
  | { readonly kind: 'theme'; readonly theme: Theme }
  | { readonly kind: 'ping' }
  | { readonly kind: 'answer'; readonly call: number; readonly value: unknown }
  | { readonly kind: 'refusal'; readonly call: number; readonly message: string }

/** The text style of the element around the frame. */
export interface Theme {
  readonly scheme: 'light' | 'dark'
  readonly color: string
  readonly fontFamily: string
  readonly fontSize: string
  readonly lineHeight: string
}

export type FromFrame =
  /** Every widget is drawn and has started. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'pong' }
  | { readonly kind: 'height'; readonly height: number }
  | { readonly kind: 'notify'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly part: string; readonly message: string }
  | {
      readonly kind: 'call'
      readonly call: number
      readonly name: string
      readonly args: readonly unknown[]
    }

/** The calls that a frame may make. */
export const callNames = ['get', 'query', 'record', 'find'] as const
export type CallName = (typeof callNames)[number]

/** Maximum length of a message from a frame, in UTF-16 units. */
const maxMessageLength = 64 * 1024
/** Maximum length of the JSON of a call's result, in UTF-16 units. */
export const maxResultLength = 1024 * 1024

/** Parses a message from a frame. Returns undefined for anything that is not a valid message. */
export function readFromFrame(data: unknown): FromFrame | undefined {
  if (typeof data !== 'string' || data.length > maxMessageLength) return undefined
  const json = parseJson(data)
  const kind = memberOf(json, 'kind')
  switch (kind) {
    case 'ready':
    case 'pong':
      return { kind }
    case 'height':
      return { kind, height: numberIn(json, 'height') }
    case 'notify':
      return { kind, value: memberOf(json, 'value') }
    case 'failed':
      return { kind, part: textIn(json, 'part'), message: textIn(json, 'message') }
    case 'call': {
      const args = memberOf(json, 'args')
      const name = textIn(json, 'name')
      return { kind, call: numberIn(json, 'call'), name, args: Array.isArray(args) ? args : [] }
    }
    default:
      return undefined
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function numberIn(json: unknown, key: string): number {
  const value = memberOf(json, key)
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}
