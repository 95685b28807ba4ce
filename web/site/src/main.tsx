/**
 * The public site. Its pages are stored data: the server sends the first one as HTML, React hydrates it, and further
 * pages are loaded as JSON.
 *
 *   main ─▶ App ─▶ StoredPage (@weft/react/page) ─▶ slots ─▶ one application per placeholder
 *            ├─ navigation, internal-url, use-internal-links   links without reloads
 *            ├─ use-page-transition                            scroll position, focus, announcements
 *            ├─ use-prefetch                                   pages of visible links
 *            ├─ use-live-preview                               `?live`, for authors
 *            └─ use-preview                                    `?preview`, edits in the console
 *   service-worker ─▶ public/sw.js                             offline reading
 *
 * Each folder is an application with its own chunk, loaded when a page contains its placeholder:
 *
 *   account     login-box, account-box      sessions, API keys, password
 *   contact     contact-form                message to the operator
 *   demo        notes-app                   offline notes; stores records in IndexedDB
 *   documents   document-box                uploads
 *   editor      concept-editor              offline graph editor; stores records in IndexedDB
 *   schema      schema-explorer             query editor
 *   try         try-box                     questions in English
 *   types       base-types                  type browser
 *   visits      visit-log                   events of the visit, kept in the tab
 *   words       words-browser               WordNet browser
 *
 * A first visit may load at most 90 KB of scripts, unless the page holds an application (e2e/site.test.ts).
 */
import { createPages, readFirstPage } from '@weft/react/page'
import { StrictMode } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { slugOf } from './navigation.ts'
import { registerServiceWorker } from './service-worker.ts'

const container = document.getElementById('app')
if (container === null) throw new Error('index.html has no #app')

const first = readFirstPage(container)
const initial = first && { slug: first.page.slug, path: slugOf(location.pathname) }
const app = (
  <StrictMode>
    <App pages={createPages(location.origin, first)} initial={initial} />
  </StrictMode>
)
if (first === undefined) createRoot(container).render(app)
else hydrateRoot(container, app)

registerServiceWorker()
