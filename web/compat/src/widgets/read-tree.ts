import type { TCustomFunction } from './builder.ts'
import { fetchWidget, type WidgetRows, type WidgetVersion } from './fetch.ts'
import { type TAssistant, type TLibrary, WidgetTree } from './tree.ts'

/** Maximum depth of children. Deeper children are left out. */
const maxDepth = 16

/** Loads a version of a widget as a tree. */
export async function loadTree(id: number, version: WidgetVersion): Promise<WidgetTree> {
  const loaded = await fetchWidget(id, version)
  return buildTree(loaded, loaded.mainId)
}

/** Reads the widget with an id from rows. */
export const buildTree = ({ rows }: Pick<WidgetRows, 'rows'>, id: number): Promise<WidgetTree> => {
  const byId = new Map(rows.map((row) => [row.id, row]))
  return readTree(byId, id, [])
}

/** Reads a widget from its row. A widget inside itself is left out. */
async function readTree(
  rows: ReadonlyMap<number, any>,
  id: number,
  around: readonly number[],
): Promise<WidgetTree> {
  const widget = rows.get(id)?.data?.the_widget
  const tree = new WidgetTree()
  tree.id = id
  tree.widgetId = id
  if (typeof widget !== 'object') return tree
  const text = (field: string) => leafOf(widget[`the_widget_${field}`])
  const texts = [
    'name',
    'html',
    'css',
    'js',
    'timestamp',
    'clean',
    'after_render',
    'before_render',
    'update',
    'mount_child',
    'dependency',
  ] as const
  for (const field of texts) Object.assign(tree, { [field]: text(field) })
  tree.type = text('type') ?? tree.type
  tree.root = widget.the_widget_root?.id ?? 0
  tree.origin = tree.root || Number(text('origin') ?? 0)
  // The version is the stored string, although the member is declared as a number.
  tree.version = text('version') ?? 0
  tree.library = { css: libraries(widget, 'css'), js: libraries(widget, 'js') }
  tree.assistant = assistantOf(widget.the_widget_assistant?.data?.the_assistant)
  tree.custom_functions = functionsOf(widget)
  if (around.length < maxDepth) tree.children = await readChildren(rows, widget, [...around, id])
  return tree
}

/** Returns the value at the end of a link; undefined for the strings that mean "no value". */
function leafOf(link: any): any {
  const [value] = Object.values(link?.data ?? {})
  return value === undefined || /^(undefined|null|NaN)$/.test(String(value)) ? undefined : value
}

const listOf = (links: any): any[] => (Array.isArray(links) ? links : [])

function libraries(widget: any, kind: 'css' | 'js'): TLibrary[] {
  const type = `the_${kind}_library`
  const found = listOf(widget[`the_widget_s_${kind}_library`]).map(({ data }) => ({
    order: leafOf(data?.[type]?.[`${type}_order`]),
    url: leafOf(data?.[type]?.[`${type}_url`]) ?? '',
  }))
  return found.sort((a, b) => Number(a.order) - Number(b.order))
}

const assistantOf = (fields: any): TAssistant => ({
  id: leafOf(fields?.the_assistant_id),
  input: leafOf(fields?.the_assistant_input),
  type: leafOf(fields?.the_assistant_type),
})

const functionsOf = (widget: any): TCustomFunction[] =>
  listOf(widget.the_widget_s_custom_function).map(({ id, data }) => {
    const fields = data?.the_custom_function
    const text = (field: string) => leafOf(fields?.[`the_custom_function_${field}`])
    return { id, name: text('name'), slug: text('slug'), code: text('code') ?? '' }
  })

async function readChildren(
  rows: ReadonlyMap<number, any>,
  widget: any,
  around: readonly number[],
): Promise<WidgetTree[]> {
  const children: WidgetTree[] = []
  for (const { id, data } of listOf(widget.the_widget_s_child)) {
    const fields = data?.the_child_widget
    const text = (field: string) => leafOf(fields?.[`the_child_widget_${field}`])
    const info = fields?.the_child_widget_info?.id ?? Number(text('parent') ?? 0)
    if (!info || around.includes(info)) continue
    const useLatest = text('use_latest') !== undefined
    const child = await readChild(rows, info, useLatest, around)
    const type = text('type')
    Object.assign(child, { wrapper: text('wrapper') ?? '', sChildId: id, useLatest })
    if (type !== undefined) child.type = type
    children.push(child)
  }
  return children
}

/** Reads a child from the same answer, or loads the published version of its original. */
async function readChild(
  rows: ReadonlyMap<number, any>,
  id: number,
  useLatest: boolean,
  around: readonly number[],
): Promise<WidgetTree> {
  const root = rows.get(id)?.data?.the_widget?.the_widget_root?.id ?? id
  if (!useLatest && rows.has(id)) return readTree(rows, id, around)
  const loaded = await fetchWidget(useLatest ? root : id, useLatest ? 'latest' : 'fixed')
  const found = new Map(loaded.rows.map((row) => [row.id, row]))
  return around.includes(loaded.mainId) ? new WidgetTree() : readTree(found, loaded.mainId, around)
}
