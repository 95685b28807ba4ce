import type { BuilderStatefulWidget } from './builder.ts'
import type { WidgetTree } from './tree.ts'

/*
 * Stored widgets and pages. The renderer is loaded on the first call.
 *
 *   BuildWidgetFromId                        the rows of a widget
 *   getWidget…, import…Widget                a widget as a tree
 *   render…, convertWidgetTreeToWidget…      shows a widget in an element
 */

const load = () => import('./renderer.ts')
type Rendered = BuilderStatefulWidget | undefined

/** Loads the argument `tsccs` of stored code: all names of the package. */
const tsccs = async (): Promise<object> => ({
  ...(await import('../public.ts')),
  ...rendering,
})

/** Loads the rows of a widget and its children, in the format DATAID. */
export const BuildWidgetFromId = async (id: number): Promise<any> => (await load()).loadRows(id)

/** Loads a widget as a tree. */
export const getWidgetFromId = async (
  widgetId: number,
  _visitedWidgets?: number[],
  _token?: string,
): Promise<WidgetTree> => (await load()).loadTree(widgetId, 'fixed')

export const getWidgetBulkFromId = (
  widgetId: number,
  visitedWidgets: number[] | undefined,
  _bulkWidget: any,
  token?: string,
): Promise<WidgetTree> => getWidgetFromId(widgetId, visitedWidgets, token)

/** Loads the published version of a widget, and renders it if an element is given. */
export const importLatestWidget = async (
  widgetId: number,
  attachNode?: HTMLElement,
  props?: any,
  showDocumentation?: boolean,
): Promise<WidgetTree | undefined> =>
  (await load()).importWidget(widgetId, 'latest', attachNode, {
    props,
    tsccs,
    documentation: showDocumentation === true,
  })

/** Loads the last saved version of a widget, and renders it if an element is given. */
export const importRecentWidget = async (
  widgetId: number,
  attachNode?: HTMLElement,
  props?: any,
  showDocumentation?: boolean,
): Promise<WidgetTree | undefined> =>
  (await load()).importWidget(widgetId, 'recent', attachNode, {
    props,
    tsccs,
    documentation: showDocumentation === true,
  })

/** Renders a widget that was imported before. */
export const renderImportedWidget = async (
  widgetId: number,
  attachNode: HTMLElement,
  props?: any,
  showDocumentation?: boolean,
): Promise<Rendered> =>
  (await load()).renderImported(attachNode, widgetId, {
    props,
    tsccs,
    documentation: showDocumentation === true,
  })

/** Renders exactly this version of a widget. */
export const renderWidget = async (
  widgetId: number,
  attachNode: HTMLElement,
  props?: any,
  showDocumentation?: boolean,
): Promise<Rendered> =>
  (await load()).renderVersion(attachNode, widgetId, 'fixed', {
    props,
    tsccs,
    documentation: showDocumentation !== false,
  })

/** Renders the published version of a widget. */
export const renderLatestWidget = async (
  widgetId: number,
  attachNode: HTMLElement,
  props?: any,
  showDocumentation?: boolean,
): Promise<Rendered> =>
  (await load()).renderVersion(attachNode, widgetId, 'latest', {
    props,
    tsccs,
    documentation: showDocumentation !== false,
  })

/** Renders a tree that was loaded before, in its version. */
export const convertWidgetTreeToWidget = async (
  tree: WidgetTree,
  parentElement: HTMLElement,
  _isMain?: boolean,
  props?: any,
  _state?: any,
  parentWidget: any = null,
): Promise<BuilderStatefulWidget> => {
  const widget = await (await load()).renderTree(tree, parentElement, { props, tsccs })
  return Object.assign(widget, { parentWidget })
}

export const convertWidgetTreeToWidgetWithWrapper = (
  tree: WidgetTree,
  parentElement: HTMLElement,
  isMain?: boolean,
  state?: object,
  _isInDevelopment?: boolean,
  parentWidget: any = null,
): Promise<BuilderStatefulWidget> =>
  convertWidgetTreeToWidget(tree, parentElement, isMain, undefined, state, parentWidget)

/** Renders a stored page, by its number, and applies its title and layout. */
export const renderPage = async (
  pageId: number,
  attachNode: HTMLElement,
  props?: any,
  showDocumentation?: boolean,
): Promise<void> =>
  (await load()).renderPage(pageId, attachNode, {
    props,
    tsccs,
    documentation: showDocumentation !== false,
  })

/** The functions of this file, for stored code. */
const rendering = {
  BuildWidgetFromId,
  convertWidgetTreeToWidget,
  convertWidgetTreeToWidgetWithWrapper,
  getWidgetBulkFromId,
  getWidgetFromId,
  importLatestWidget,
  importRecentWidget,
  renderImportedWidget,
  renderLatestWidget,
  renderPage,
  renderWidget,
}
