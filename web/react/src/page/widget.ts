/** A stored widget with everything inside it. A widget without a name is not a widget. */
export interface Widget {
  readonly id: number
  readonly name: string
  readonly html: string
  readonly css: string
  readonly children: readonly Child[]
  /** Id of the original, of which this may be a version. */
  readonly root: number
  /** 0 when unknown. */
  readonly version: number
  /** Name of the type that it shows. */
  readonly type: string
  readonly documented: boolean
  /** What the server says about its code, never what the browser believes. */
  readonly trust: Trust
  /** Undefined where nothing may run, or there is nothing to run. */
  readonly code: Code | undefined
}

/** `static` runs nothing, `sandbox` runs in a frame that has nothing of ours, `trusted` in the page. */
type Trust = 'static' | 'sandbox' | 'trusted'

/** A widget and the id of the element in its parent's HTML that it goes into. */
export interface Child {
  readonly wrapper: string
  readonly widget: Widget
}

/** What is stored to be run. Empty text means that there is none. */
export interface Code extends Readonly<Record<Hook, string>> {
  readonly html: string
  readonly css: string
  readonly functions: readonly { readonly name: string; readonly code: string }[]
  /** Addresses of libraries; what follows a `#` is the hash they must have. */
  readonly styles: readonly string[]
  readonly scripts: readonly string[]
  /** Where the code of a trusted widget is found as modules. */
  readonly modules: Readonly<Partial<Record<Part, string>>>
}

const hooks = ['dependency', 'beforeRender', 'mountChild', 'afterRender', 'update', 'js'] as const
type Hook = (typeof hooks)[number]

/** A piece of code that runs on its own. */
export type Part = Hook | 'functions'
const parts: readonly Part[] = [...hooks, 'functions']

/** Deeper or wider trees are cut: stored data may be hostile, or just wrong. */
const maxDepth = 16
const maxWidgets = 256
const maxFunctions = 256
const maxLibraries = 32

/**
 * Reads a widget tree out of JSON that may be anything. What makes no sense is left out: a field that is
 * not text, a child without a place, and a widget inside itself.
 */
export function readWidget(json: unknown): Widget {
  let left = maxWidgets
  const read = (json: unknown, above: readonly number[]): Widget => {
    const id = idIn(json)
    const inside = [...above, id]
    const trust = trustIn(json)
    return {
      id,
      name: textIn(json, 'name'),
      html: textIn(json, 'html'),
      css: textIn(json, 'css'),
      children: inside.length > maxDepth ? [] : listIn(json, 'children').flatMap(child(inside)),
      root: idIn(json, 'root') || id,
      version: idIn(json, 'version'),
      type: textIn(json, 'type') || 'the_element_name',
      documented: memberOf(json, 'documented') === true,
      trust,
      code: trust === 'static' ? undefined : codeIn(json),
    }
  }
  const child = (above: readonly number[]) => (json: unknown) => {
    const wrapper = textIn(json, 'wrapper')
    const inner = memberOf(json, 'widget')
    if (wrapper === '' || above.includes(idIn(inner)) || --left <= 0) return []
    return [{ wrapper, widget: read(inner, above) }]
  }
  return read(json, [])
}

/** Says whether anything in the tree may run. */
export const runs = (widget: Widget): boolean =>
  widget.code !== undefined || widget.children.some((child) => runs(child.widget))

/** The ids of the originals of everything in the tree. */
export function originals(widget: Widget): readonly number[] {
  return [widget.root, ...widget.children.flatMap((child) => originals(child.widget))]
}

function trustIn(json: unknown): Trust {
  const trust = memberOf(json, 'trust')
  return trust === 'sandbox' || trust === 'trusted' ? trust : 'static'
}

function codeIn(json: unknown): Code | undefined {
  const code = memberOf(json, 'code')
  if (typeof code !== 'object' || code === null) return undefined
  const modules = memberOf(code, 'modules')
  return {
    html: textIn(code, 'html'),
    css: textIn(code, 'css'),
    dependency: textIn(code, 'dependency'),
    beforeRender: textIn(code, 'beforeRender'),
    mountChild: textIn(code, 'mountChild'),
    afterRender: textIn(code, 'afterRender'),
    update: textIn(code, 'update'),
    js: textIn(code, 'js'),
    functions: listIn(code, 'functions').slice(0, maxFunctions).map(functionOf),
    styles: addressesIn(code, 'styles'),
    scripts: addressesIn(code, 'scripts'),
    modules: Object.fromEntries(parts.map((part) => [part, textIn(modules, part)])),
  }
}

const functionOf = (json: unknown) => ({ name: textIn(json, 'name'), code: textIn(json, 'code') })

const addressesIn = (code: unknown, key: string): readonly string[] =>
  listIn(code, key)
    .filter((address) => typeof address === 'string' && /^https?:/.test(address))
    .slice(0, maxLibraries) as string[]

/** The text under a key. Builders store what they do not know as the words listed here. */
export function textIn(json: unknown, key: string): string {
  const value = memberOf(json, key)
  return typeof value !== 'string' || nothing.has(value) ? '' : value
}

const nothing = new Set(['undefined', 'null', 'NaN'])

/** What a key of an object holds; undefined where there is no object or no key of its own. */
export function memberOf(json: unknown, key: string): unknown {
  if (typeof json !== 'object' || json === null || !Object.hasOwn(json, key)) return undefined
  return (json as Record<string, unknown>)[key]
}

export function idIn(json: unknown, key = 'id'): number {
  const id = memberOf(json, key)
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : 0
}

export function listIn(json: unknown, key: string): readonly unknown[] {
  const list = memberOf(json, key)
  return Array.isArray(list) ? list : []
}
