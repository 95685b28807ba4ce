import { compose } from './compose.ts'
import { sanitize } from './sanitize.ts'
import type { View } from './view.ts'
import type { WidgetTree } from './widget-tree.ts'

/**
 * Makes a view of any stored widget tree. Needs a browser.
 *
 * Not part of compose.ts because the sandbox frame composes without DOMPurify, and part of no other module because it
 * loads on demand.
 */
export function makeView(widget: WidgetTree): View {
  warnAuthor(widget)
  return compose(widget, sanitize)
}

/** Writes to the console what was left out of the CSS of a widget and of those inside it. */
function warnAuthor({ id, name, warnings, children }: WidgetTree): void {
  // biome-ignore lint/suspicious/noConsole: the author has no other place to read it.
  if (warnings.length > 0) console.warn(`Widget ${id} (${name}): ${warnings.join('; ')}`)
  for (const child of children) warnAuthor(child.widget)
}
