/*
 * Stored widgets and pages without React: the parts that the components consist of, for code that renders into its
 * own element. Nothing here imports React.
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
