/**
 * The data of stored widgets: how a widget tree that the server sends as JSON becomes a React component.
 *
 *   JSON of the server
 *     │ readWidgetTree    checks every field and cuts trees that are too deep or too large         (this file)
 *     ▼
 *   WidgetTree            HTML, CSS, children, trust level, code
 *     │ makeView          sanitises the HTML, scopes the CSS, puts children into their placeholders (compose.ts)
 *     ▼
 *   View                  one HTML string, one style sheet, the ids to refetch on
 *     │ WidgetHost        inserts the HTML; renders React components into slots             (page/widget-host.tsx)
 *     ▼
 *   DOM ── run            starts the code of widgets that may run, when the tree has any            (widget/run.ts)
 *
 * Trust levels. The server decides the level of each widget by the owners of all parts of the widget, and sends the
 * level in `trust`. The browser never raises the level. An unknown value counts as `static`.
 *
 *   static    no code runs; sanitised HTML and scoped CSS
 *   sandbox   the code runs in an iframe with an opaque origin; a bridge answers four kinds of calls as a guest
 *   trusted   the code runs in the page, as modules that the server serves
 *
 * An untrusted widget inside a trusted one is contained: it cannot paint outside its own box.
 *
 * Costs. Reading and composing are linear in the size of the tree (at most 256 widgets, at most 16 levels below the
 * main one). Every widget's HTML is parsed and sanitised once per view. DOMPurify and the composer (13 KB
 * compressed) load with the first view that the server did not render; the code runner (6 KB) loads only for trees
 * that contain code.
 *
 * Reasons for the design: docs/decisions/0018.
 */
import { idIn, listIn, memberOf, textIn } from './json.ts'
import { type Looks, looksIn } from './looks.ts'

/** A stored widget with all its children. A widget with an empty name is shown as invalid. */
export interface WidgetTree {
  readonly id: number
  readonly name: string
  readonly html: string
  readonly css: string
  readonly children: readonly WidgetChild[]
  /** Id of the original; equals `id` unless this widget is a version. */
  readonly root: number
  /** 0 when unknown. */
  readonly version: number
  /** Name of the type that the widget shows. */
  readonly type: string
  /** Whether documentation exists for the widget. */
  readonly documented: boolean
  readonly trust: Trust
  /** The appearance that the operator allows, the same in the whole tree. */
  readonly looks: Looks
  /** Undefined when the trust level is `static`, or the widget has no code. */
  readonly code: WidgetCode | undefined
  /** Messages to the author about CSS that the server left out. */
  readonly warnings: readonly string[]
  /** Time at which the builder saved the widget, as the builder wrote it; '' when unknown. */
  readonly timestamp: string
  /** Sanitised HTML without the marks of the builder. It is not rendered. */
  readonly clean: string
  /** The request from which the builder generated the widget. */
  readonly assistant: WidgetAssistant | undefined
}

/** The request to an assistant from which a builder generated a widget. */
export interface WidgetAssistant {
  readonly id: string
  readonly input: string
  readonly type: string
}

type Trust = 'static' | 'sandbox' | 'trusted'

/** A widget, and the id of its placeholder element in the HTML of its parent. */
export interface WidgetChild {
  readonly wrapper: string
  readonly widget: WidgetTree
}

/** The code of a widget as stored. A part without code is an empty string. */
export interface WidgetCode extends Readonly<Record<HookName, string>> {
  /** The HTML and CSS before sanitising. A widget with code draws these, not those of the `WidgetTree`. */
  readonly html: string
  readonly css: string
  readonly functions: readonly { readonly name: string; readonly code: string }[]
  /** URLs of libraries. The fragment, if any, is the integrity hash that the file must have. */
  readonly styles: readonly string[]
  readonly scripts: readonly string[]
  /** Paths of the modules that hold the code of a trusted widget. */
  readonly modules: Readonly<Partial<Record<CodePart, string>>>
}

const hookNames = [
  'dependency',
  'beforeRender',
  'mountChild',
  'afterRender',
  'update',
  'js',
] as const
type HookName = (typeof hookNames)[number]

/** A piece of code that runs on its own. */
export type CodePart = HookName | 'functions'
const codeParts: readonly CodePart[] = [...hookNames, 'functions']

// Limits on stored data, which may be malformed or hostile. Data beyond the limits is left out.
const maxDepth = 16
const maxWidgets = 256
const maxFunctions = 256
const maxLibraries = 32
const maxWarnings = 20

/**
 * Reads a widget tree out of JSON of unknown shape. Leaves out invalid parts: fields of the wrong type, children
 * without a placeholder id, and widgets inside themselves.
 */
export function readWidgetTree(json: unknown): WidgetTree {
  let widgetsLeft = maxWidgets
  const looks = looksIn(json)
  const read = (json: unknown, ancestors: readonly number[]): WidgetTree => {
    const id = idIn(json)
    const path = [...ancestors, id]
    const trust = trustIn(json)
    return {
      id,
      name: textIn(json, 'name'),
      html: textIn(json, 'html'),
      css: textIn(json, 'css'),
      children: path.length > maxDepth ? [] : listIn(json, 'children').flatMap(readChild(path)),
      root: idIn(json, 'root') || id,
      version: idIn(json, 'version'),
      type: textIn(json, 'type') || 'the_element_name',
      documented: memberOf(json, 'documented') === true,
      trust,
      looks,
      code: trust === 'static' ? undefined : codeIn(json),
      warnings: listIn(json, 'warnings').filter(isText).slice(0, maxWarnings),
      timestamp: textIn(json, 'timestamp'),
      clean: textIn(json, 'clean'),
      assistant: assistantIn(json),
    }
  }
  const readChild = (ancestors: readonly number[]) => (json: unknown) => {
    const wrapper = textIn(json, 'wrapper')
    const widget = memberOf(json, 'widget')
    if (wrapper === '' || ancestors.includes(idIn(widget)) || --widgetsLeft <= 0) return []
    return [{ wrapper, widget: read(widget, ancestors) }]
  }
  return read(json, [])
}

/** Reports whether any widget of the tree has code that may run. */
export const hasCode = (widget: WidgetTree): boolean =>
  widget.code !== undefined || widget.children.some((child) => hasCode(child.widget))

/** Returns the ids of the originals of all widgets in the tree. */
export function originalIds(widget: WidgetTree): readonly number[] {
  return [widget.root, ...widget.children.flatMap((child) => originalIds(child.widget))]
}

function trustIn(json: unknown): Trust {
  const trust = memberOf(json, 'trust')
  return trust === 'sandbox' || trust === 'trusted' ? trust : 'static'
}

function codeIn(json: unknown): WidgetCode | undefined {
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
    functions: listIn(code, 'functions').slice(0, maxFunctions).map(functionIn),
    styles: webAddressesIn(code, 'styles'),
    scripts: webAddressesIn(code, 'scripts'),
    modules: Object.fromEntries(codeParts.map((part) => [part, textIn(modules, part)])),
  }
}

const isText = (json: unknown) => typeof json === 'string'

function assistantIn(json: unknown): WidgetAssistant | undefined {
  const assistant = memberOf(json, 'assistant')
  if (typeof assistant !== 'object' || assistant === null) return undefined
  return {
    id: textIn(assistant, 'id'),
    input: textIn(assistant, 'input'),
    type: textIn(assistant, 'type'),
  }
}

const functionIn = (json: unknown) => ({ name: textIn(json, 'name'), code: textIn(json, 'code') })

const webAddressesIn = (code: unknown, key: string): readonly string[] =>
  listIn(code, key)
    .filter((address) => typeof address === 'string' && /^https?:/.test(address))
    .slice(0, maxLibraries) as string[]
