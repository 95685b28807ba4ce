/*
 * The names of `mftsccs-browser` on the client of Weft. `docs/migrating.md` lists all of them.
 *
 *   init.ts, start.ts               opening the client; the token
 *   concepts.ts, connections.ts     creating, reading and removing single records
 *   compositions.ts, lists.ts       nested records
 *   links.ts, attached-links.ts     linked records
 *   schema-query.ts, search.ts      queries
 *   listeners/                      results that stay up to date
 *   transactions.ts, sync-data.ts   writes that are sent together; waiting for the server
 *   caches.ts, trees.ts             the stores of the wire contract as views of the graph
 *   widgets/                        widgets of applications, stored widgets and pages
 *   public.ts                       the names, without those that render stored widgets
 *   records.ts, writes.ts           records in the shape of the wire contract; the writing client of every call
 *
 * All reads and writes go through `@weft/client`. Errors are `FreeschemaError`s.
 */
// biome-ignore lint/performance/noReExportAll: stored code gets the same names, from the same file.
export * from './public.ts'
export {
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
} from './widgets/render.ts'
