import type { View } from '../stored/view.ts'
import type { WidgetTree } from '../stored/widget-tree.ts'

/**
 * Loads the code that creates views, and creates the view of a widget tree.
 *
 * If the view replaces another one on the screen, its code modules are loaded first, so that the widget is never empty.
 */
export async function loadView(
  widget: WidgetTree,
  url: string,
  replacesShown: boolean,
): Promise<View> {
  const { makeView } = await import('../stored/make-view.ts')
  const view = makeView(widget)
  if (replacesShown && view.tree)
    await (await import('../widget/run.ts')).loadModules(view.tree, url)
  return view
}
