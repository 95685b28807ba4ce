/**
 * Stored pages and widgets as React components.
 *
 *   <StoredPage pages slug>    a page from the `Pages` cache; sets the title and meta tags of the document
 *   <StoredWidget id version>  a widget, loaded with the client of the provider
 *   createPages(url, first)    the cache of pages; `readFirstPage` takes over the page that the server rendered
 *   readWidgetTree             reads widget JSON; stored/widget-tree.ts describes the path from JSON to DOM and trust
 *
 * First visit: the server sends the page as HTML with its data. `readFirstPage` reads both, `createPages` stores the
 * result, and `<StoredPage>` hydrates the HTML unchanged: no request and no second render. Every later page costs one
 * request. It is kept until the tab closes, and refetched when it is older than 30 s or has changed on the server.
 */

export type { View } from '../stored/view.ts'
export {
  readWidgetTree,
  type WidgetAssistant,
  type WidgetChild,
  type WidgetTree,
} from '../stored/widget-tree.ts'
export { readFirstPage } from './first-page.ts'
export type { Page } from './page.ts'
export { createPages, type LoadedPage, type PageState, type Pages } from './pages.ts'
export { StoredPage, type StoredPageProps, useStoredPage } from './stored-page.tsx'
export { StoredWidget, type StoredWidgetProps } from './stored-widget.tsx'
export type { WidgetVersion } from './widget-cache.ts'
export type { CodeProps, Slots } from './widget-host.tsx'
