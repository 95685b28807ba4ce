import { compose } from './compose.ts'
import { sanitize } from './sanitize.ts'
import type { View } from './view.ts'
import type { Widget } from './widget.ts'

/** Makes a view of whatever is stored. Needs a browser. */
export const makeView = (widget: Widget): View => compose(widget, sanitize)
