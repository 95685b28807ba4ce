import type { Client } from '@weft/client'
import { makeView } from '../stored/make-view.ts'
import type { CodePart, WidgetTree } from '../stored/widget-tree.ts'
import { createCallHandler, guestClient } from './frame-calls.ts'
import { Libraries } from './libraries.ts'
import { type HookFunction, type Runtime, type SavedState, setProps } from './runtime.ts'
import { SandboxFrame } from './sandbox-frame.ts'
import { startTree } from './start-tree.ts'
import type { Widget } from './widget.ts'

/** The input and callbacks of the code in a tree. */
export interface RunOptions {
  /** Origin of the server. */
  readonly url: string
  readonly props: unknown
  /** The argument of hooks that run in the page. Default: the client. */
  readonly tsccs?: object | undefined
  /** Called with each widget that runs in the page, before its code runs, to add members to it. */
  readonly prepareWidget?: ((widget: Widget) => void) | undefined
  /** The client that the code uses. Default: a guest client. */
  readonly client?: Client | undefined
  readonly onNotify: (value: unknown) => void
  readonly onError: (error: Error) => void
  /** The result of `stop` of the replaced version. */
  readonly savedStates: ReadonlyMap<string, SavedState>
}

/** A tree whose code runs. */
export interface RunningTree {
  setProps(props: unknown): void
  /** Ends all code. Returns the state of the widgets, for the version that replaces this one. */
  stop(): ReadonlyMap<string, SavedState>
}

/**
 * Runs the code in a tree whose view is in `host`: trusted widgets in the page, sandboxed widgets in a frame each.
 *
 * Call graph:
 *
 *   run ──▶ startTree ──▶ CodedWidget    trusted: hooks are modules of the server
 *                │            └──▶ startTree for its children
 *                ├──▶ SandboxFrame       sandboxed: the widget and all its children run in one frame
 *                └──▶ startTree          static: for its children
 *
 * Costs: one request per module, shared by all widgets with the same code. `npm run bench:widgets` compares 200 widgets
 * with plain React.
 */
export function run(host: HTMLElement, tree: WidgetTree, options: RunOptions): RunningTree {
  const { url, savedStates, onNotify } = options
  const stopped = new AbortController()
  const frames = new Set<SandboxFrame>()
  const onError = (part: string, { message }: Error) =>
    options.onError(new Error(`${part}: ${message}`))
  const runtime: Runtime = {
    props: options.props,
    runningWidgets: new Set(),
    libraries,
    restoredStates: savedStates,
    savedStates: new Map(),
    tsccs: async () => options.tsccs ?? options.client ?? (await guestClient(url)),
    prepareWidget: options.prepareWidget,
    runsHere: (widget) => widget.trust === 'trusted',
    loadHook: (widget, part) => loadModule(widget, part, url),
    makeView,
    startTree: (widget, host, position, signal) =>
      startTree(widget, host, runtime, position, signal),
    startFrame(widget, host) {
      const runCall = createCallHandler(() => guestClient(url))
      const { props } = runtime
      const frame = new SandboxFrame(widget, host, { url, props, runCall, onNotify, onError })
      frames.add(frame)
      return () => frame.end()
    },
    onError,
    onNotify,
  }
  void runtime.startTree(tree, host, { wrapper: '', path: '' }, stopped.signal)
  return {
    setProps(props) {
      setProps(runtime, props)
      for (const frame of frames) frame.setProps(props)
    },
    stop() {
      stopped.abort()
      return runtime.savedStates
    },
  }
}

const libraries = new Libraries()

/**
 * Loads the code modules of a tree ahead of time. Never rejects: the error of a module is reported when its code would
 * run.
 */
export async function loadModules(tree: WidgetTree, url: string): Promise<void> {
  const parts = Object.keys(tree.code?.modules ?? {}) as CodePart[]
  const modules = tree.trust === 'trusted' ? parts.map((part) => loadModule(tree, part, url)) : []
  const children = tree.children.map(({ widget }) => loadModules(widget, url))
  await Promise.allSettled([...modules, ...children])
}

/**
 * Loads a part of a trusted widget's code as a module, because the content security policy forbids compiling strings.
 * Every module is loaded once. If that fails, the next call requests it again.
 */
function loadModule(widget: WidgetTree, part: CodePart, url: string): Promise<HookFunction> {
  const path = widget.code?.modules[part]
  if (!path) return Promise.reject(new Error('the server has no module for this code'))
  const { href: address, origin } = new URL(path, url)
  // The widget may come from an additional server, which must not decide from where code is loaded.
  if (origin !== new URL(url).origin)
    return Promise.reject(new Error(`the module ${address} is not on the server`))
  let hook = modules.get(address)
  if (hook === undefined) {
    hook = import(/* @vite-ignore */ /* webpackIgnore: true */ address).then(
      (module: { default: HookFunction }) => module.default,
    )
    hook.catch(() => modules.delete(address))
    modules.set(address, hook)
  }
  return hook
}

const modules = new Map<string, Promise<HookFunction>>()
