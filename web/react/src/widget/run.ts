import type { Client } from '@weft/client'
import { makeView } from '../page/make-view.ts'
import type { Part, Widget } from '../page/widget.ts'
import { answering } from './answer.ts'
import { bring } from './bring.ts'
import { Frame } from './frame.ts'
import { Libraries } from './libraries.ts'
import { nobody } from './nobody.ts'
import { give, type Hook, type Kept, type Surroundings } from './surroundings.ts'

/** What the code of a tree is given, and whom it tells. */
export interface RunOptions {
  /** Origin of the server. */
  readonly url: string
  readonly props: unknown
  /** What code in the page is called with; left out, the client. */
  readonly tsccs?: object | undefined
  /** Left out, one that nobody is signed in to. */
  readonly client?: Client | undefined
  readonly notified: (value: unknown) => void
  readonly failed: (error: Error) => void
  /** What the version before has left. */
  readonly kept: ReadonlyMap<string, Kept>
}

/** A tree whose code runs. */
export interface Running {
  give(props: unknown): void
  /** Ends everything, and returns what the next version may go on with. */
  stop(): ReadonlyMap<string, Kept>
}

/** Runs what there is to run in a tree whose view stands in the host. */
export function run(host: HTMLElement, tree: Widget, options: RunOptions): Running {
  const { url, kept, notified } = options
  const ended = new AbortController()
  const frames = new Set<Frame>()
  const failed = (part: string, { message }: Error) =>
    options.failed(new Error(`${part}: ${message}`))
  const around: Surroundings = {
    props: options.props,
    live: new Set(),
    libraries,
    before: kept,
    after: new Map(),
    tsccs: async () => options.tsccs ?? options.client ?? (await nobody(url)),
    runsHere: (widget) => widget.trust === 'trusted',
    hook: (widget, part) => moduleOf(widget, part, url),
    view: makeView,
    bring: (widget, host, at, signal) => bring(widget, host, around, at, signal),
    frame(widget, host) {
      const answer = answering(() => nobody(url))
      const { props } = around
      const frame = new Frame(widget, host, { url, props, answer, notified, failed })
      frames.add(frame)
      return () => frame.end()
    },
    failed,
    notified,
  }
  void around.bring(tree, host, { wrapper: '', path: '' }, ended.signal)
  return {
    give(props) {
      give(around, props)
      for (const frame of frames) frame.give(props)
    },
    stop() {
      ended.abort()
      return around.after
    },
  }
}

const libraries = new Libraries()

/** Loads the modules of a tree ahead of time. Those that fail say so when they are to run. */
export async function prepare(tree: Widget, url: string): Promise<void> {
  const parts = Object.keys(tree.code?.modules ?? {}) as Part[]
  const modules = tree.trust === 'trusted' ? parts.map((part) => moduleOf(tree, part, url)) : []
  const children = tree.children.map(({ widget }) => prepare(widget, url))
  await Promise.allSettled([...modules, ...children])
}

/** The policy of pages lets no text become code, so code comes as modules. One that failed is asked for again. */
function moduleOf(widget: Widget, part: Part, url: string): Promise<Hook> {
  const path = widget.code?.modules[part]
  if (!path) return Promise.reject(new Error('the server has no module of it'))
  const address = new URL(path, url).href
  let hook = modules.get(address)
  if (hook === undefined) {
    hook = import(/* @vite-ignore */ address).then((module: { default: Hook }) => module.default)
    hook.catch(() => modules.delete(address))
    modules.set(address, hook)
  }
  return hook
}

const modules = new Map<string, Promise<Hook>>()
