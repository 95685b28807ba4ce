/*
 * Stored widgets and pages without React: the parts of which the components consist, for code that renders into an
 * element of its own. Nothing in this entry point imports React.
 */
export { type Entry, readEntries } from '../documentation/entry.ts'
export { pageCss, readPage } from '../page/page.ts'
export { watchPlaces } from '../page/watch-places.ts'
export { makeView } from '../stored/make-view.ts'
export { sanitize } from '../stored/sanitize.ts'
export { applyCss } from '../stored/stylesheets.ts'
export type { View } from '../stored/view.ts'
export { readWidgetTree } from '../stored/widget-tree.ts'
export { type RunningTree, run } from '../widget/run.ts'
