import { compose } from './compose.ts'
import { sanitize } from './sanitize.ts'
import type { View } from './view.ts'
import type { WidgetTree } from './widget-tree.ts'

/**
 * Creates the view of any stored widget tree. Needs a browser.
 *
 * Not part of compose.ts, because the sandbox frame composes without DOMPurify, and not part of any other module, because it
 * is loaded on demand.
 */
export function makeView(widget: WidgetTree): View {
  warnAuthor(widget)
  return compose(widget, sanitize)
}

/** Writes to the console which parts of the CSS of a widget, and of widgets inside it, were left out. */
function warnAuthor({ id, name, warnings, children }: WidgetTree): void {
  // biome-ignore lint/suspicious/noConsole: the author has no other place to read it.
  if (warnings.length > 0) console.warn(`Widget ${id} (${name}): ${warnings.join('; ')}`)
  for (const child of children) warnAuthor(child.widget)
}
