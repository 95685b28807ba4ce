import type { View } from './view.ts'
import type { Widget } from './widget.ts'

/**
 * The view of a widget, once the code that makes views is here. What takes the place of something shown
 * waits until its own code is here too, so that the place is never empty.
 */
export async function viewOf(widget: Widget, url: string, shown: boolean): Promise<View> {
  const { makeView } = await import('./make-view.ts')
  const made = makeView(widget)
  if (shown && made.tree) await (await import('../widget/run.ts')).prepare(made.tree, url)
  return made
}
