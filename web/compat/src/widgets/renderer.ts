import type { RunningTree } from '@weft/react/imperative'
import { currentClient } from '../start.ts'
import { BuilderStatefulWidget } from './builder.ts'
import { addDocumentation } from './documentation.ts'
import { fetchWidget, readVersion, type WidgetVersion } from './fetch.ts'
import { loadTree } from './read-tree.ts'
import { addContractMembers } from './stored-members.ts'
import type { WidgetTree } from './tree.ts'

/*
 * The functions of `render.ts`. The renderer of `@weft/react` renders stored widgets and pages; this use of it needs no
 * React. The same levels of trust apply: the server decides by the owner of a widget whether its code runs in the page,
 * in a sandbox frame, or not at all. HTML is sanitised unless the widget is trusted.
 */

/** Returns the rows of a widget and its children. */
export const loadRows = async (id: number): Promise<any> => (await fetchWidget(id, 'fixed')).rows

export { loadTree }

/** The versions of imported trees, by the ids of the imports. */
const imported = new Map<number, WidgetVersion>()

/** Loads a version of a widget, and renders it if an element is given. */
export async function importWidget(
  id: number,
  version: WidgetVersion,
  attachNode: HTMLElement | undefined,
  options: RenderOptions,
): Promise<WidgetTree | undefined> {
  const tree = await loadTree(id, version)
  imported.set(id, version)
  imported.set(tree.id, 'fixed')
  if (attachNode) await renderVersion(attachNode, id, version, options)
  return tree
}

/** Renders the version of a widget that was imported before. */
export const renderImported = (
  host: HTMLElement,
  id: number,
  options: RenderOptions,
): Promise<BuilderStatefulWidget | undefined> =>
  renderVersion(host, id, imported.get(id) ?? 'fixed', options)

/** Loads the argument `tsccs` of stored code. */
export type LoadLibrary = () => Promise<object>

export interface RenderOptions {
  readonly props: any
  readonly tsccs: LoadLibrary
  /** Whether widgets with documentation get a button that opens it. */
  readonly documentation?: boolean
}

/** For each element, the function that ends the code that runs in it. Called when another widget is rendered there. */
const running = new WeakMap<Element, () => void>()

/** Renders a version of a widget into an element. If this fails, shows the error there. */
export async function renderVersion(
  host: HTMLElement,
  id: number,
  version: WidgetVersion,
  options: RenderOptions,
): Promise<BuilderStatefulWidget | undefined> {
  running.get(host)?.()
  host.textContent = 'Please Wait...'
  try {
    const response = await readVersion(`/api/v1/widgets?id=${id}&version=${version}`, version)
    if (response.status === 404) return show(host, "Invalid or Widget doesn't exist")
    if (!response.ok) throw new Error(response.statusText || `${response.status}`)
    return await showTree(host, (await response.json())?.widget, options)
  } catch (e) {
    return show(host, `Error: ${e instanceof Error ? e.message : String(e)}`)
  }
}

/** Shows a message instead of a widget. */
function show(host: HTMLElement, text: string): undefined {
  running.get(host)?.()
  const heading = document.createElement('h4')
  heading.textContent = text
  host.replaceChildren(heading)
}

/** Shows a widget tree in the server's format, and runs its code. */
async function showTree(
  host: HTMLElement,
  json: unknown,
  options: RenderOptions,
  extraCss = '',
): Promise<BuilderStatefulWidget | undefined> {
  const { applyCss, makeView, readWidgetTree, run } = await import('@weft/react/imperative')
  if (!json) return show(host, "Invalid or Widget doesn't exist")
  const view = makeView(readWidgetTree(json))
  running.get(host)?.()
  const element = document.createElement('div')
  element.setAttribute('data-widget', String(view.id))
  element.innerHTML = view.html
  const removeCss = applyCss(extraCss ? `${extraCss}\n${view.css}` : view.css)
  host.replaceChildren(element)
  const widget = new BuilderStatefulWidget()
  Object.assign(widget, {
    element,
    data: options.props,
    html: view.html,
    css: view.css,
    widgetMounted: true,
  })
  const tree: RunningTree | undefined =
    view.tree &&
    run(element, view.tree, {
      url: currentClient().url,
      client: currentClient(),
      tsccs: await options.tsccs(),
      prepareWidget: addContractMembers,
      props: options.props,
      savedStates: new Map(),
      onNotify: (value) => widget.notify(value),
      onError: () => {},
    })
  const removeButtons = options.documentation
    ? addDocumentation(host, element, view, (id, root, attachNode) =>
        renderVersion(attachNode, id, 'latest', {
          props: { currentWidgetId: String(root) },
          tsccs: options.tsccs,
        }),
      )
    : undefined
  running.set(host, () => {
    tree?.stop()
    removeCss()
    removeButtons?.()
    running.delete(host)
  })
  return widget
}

/** Renders a tree that was loaded before, in its version. */
export async function renderTree(
  tree: WidgetTree,
  host: HTMLElement,
  options: RenderOptions,
): Promise<BuilderStatefulWidget> {
  const rendered = await renderVersion(host, tree.id, 'fixed', options)
  tree.widget = rendered ?? new BuilderStatefulWidget()
  return tree.widget
}

/** Renders a stored page, by its number, and applies its title and layout. */
export async function renderPage(
  pageId: number,
  attachNode: HTMLElement,
  options: RenderOptions,
): Promise<void> {
  const response = await currentClient().fetch(`/api/v1/pages?id=${pageId}`)
  if (!response.ok) {
    show(attachNode, "Invalid or Page doesn't exist")
    return
  }
  const { pageCss, readPage } = await import('@weft/react/imperative')
  const json = await response.json()
  const page = readPage(json)?.page
  if (!page) {
    show(attachNode, "Invalid or Page doesn't exist")
    return
  }
  attachNode.classList.add('fspage')
  document.title = page.metaTitle || page.title
  await showTree(attachNode, json.widget, options, pageCss(page))
}
