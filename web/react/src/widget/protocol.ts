import { memberOf, textIn, type Widget } from '../page/widget.ts'

/** What a page and the frame of a widget say to each other over one port, as texts of JSON. */

/** Both sides must speak the same. */
export const version = 1

/** Goes to the frame's window once, with the port. */
export const greeting = 'weft-port'

export type ToFrame =
  | {
      readonly kind: 'start'
      readonly version: number
      readonly widget: Widget
      readonly props: unknown
      readonly theme: Theme
    }
  | { readonly kind: 'props'; readonly props: unknown }
  | { readonly kind: 'theme'; readonly theme: Theme }
  | { readonly kind: 'ping' }
  | { readonly kind: 'answer'; readonly call: number; readonly value: unknown }
  | { readonly kind: 'refusal'; readonly call: number; readonly message: string }

/** How text looks around the frame. */
export interface Theme {
  readonly scheme: 'light' | 'dark'
  readonly color: string
  readonly fontFamily: string
  readonly fontSize: string
  readonly lineHeight: string
}

export type FromFrame =
  /** Everything is drawn and has started. */
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

/** What a frame may ask for. */
export const calls = ['get', 'query', 'record', 'find'] as const
export type Call = (typeof calls)[number]

/** How long a message from a frame, and an answer to it, may be. */
export const longest = { message: 64 * 1024, answer: 1024 * 1024 }

/** What a frame says, which may be anything. Undefined when it makes no sense. */
export function readFromFrame(data: unknown): FromFrame | undefined {
  if (typeof data !== 'string' || data.length > longest.message) return undefined
  const json = parse(data)
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

function parse(text: string): unknown {
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
