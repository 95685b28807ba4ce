import { compose } from './compose.ts'
import { sanitize } from './sanitize.ts'
import type { View } from './view.ts'
import type { WidgetTree } from './widget-tree.ts'

/**
 * Creates the view of any stored widget tree. Needs a browser.
 *
 * This function is a separate module, because it is loaded on demand. It is not in compose.ts, because the sandbox
 * frame uses that module without DOMPurify.
 */
export function makeView(widget: WidgetTree): View {
  warnAuthor(widget)
  return compose(widget, sanitize)
}

/** Writes to the console which parts of the CSS of a widget and of the widgets inside it were left out. */
function warnAuthor({ id, name, warnings, children }: WidgetTree): void {
  // biome-ignore lint/suspicious/noConsole: the author has no other place to read it.
  if (warnings.length > 0) console.warn(`Widget ${id} (${name}): ${warnings.join('; ')}`)
  for (const child of children) warnAuthor(child.widget)
}
