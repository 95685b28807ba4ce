import { Cache, type CacheState, textOf } from '../stored/cache.ts'
import type { View } from '../stored/view.ts'
import { loadView } from './load-view.ts'
import { type Page, pageCss, readPage } from './page.ts'

/** A page and its view. */
export interface LoadedPage {
  readonly page: Page
  readonly view: View
}

/** The state of a page. `missing` means that the server has no page with this slug. */
export type PageState =
  | Exclude<CacheState<LoadedPage>, { status: 'ready' }>
  | ({ readonly status: 'ready' } & LoadedPage)

/** A cache of the stored pages of a server, by slug. */
export interface Pages {
  /** Origin of the server. */
  readonly url: string
  get(slug: string): PageState
  /** Calls `onChange` after every change of the state, and loads the page if it is not loaded or older than 30 s. */
  subscribe(slug: string, onChange: () => void): () => void
  /** Loads a page ahead of time. Never rejects; errors are stored in the state. */
  load(slug: string): Promise<void>
  /** Refetches a page. The current page stays visible until a different one arrives. */
  refresh(slug: string): Promise<void>
  /**
   * Until the next refetch, shows a page from JSON in the server's format instead of the cached page. For previews of
   * edits.
   */
  show(slug: string, json: unknown): Promise<void>
}

/**
 * Creates a cache of stored pages.
 *
 * @param url origin of the server
 * @param first the page that the server rendered into the document, see `readFirstPage`
 */
export function createPages(url: string, first?: LoadedPage): Pages {
  const cache = new Cache<PageState>({
    fetchText: async (slug) =>
      textOf(await fetch(new URL(`/api/v1/pages?slug=${encodeURIComponent(slug)}`, url))),
    parse: (text, isShown) => loadPage(JSON.parse(text), url, isShown),
  })
  if (first !== undefined) cache.put(first.page.slug, { status: 'ready', ...first })
  return {
    url,
    subscribe: (slug, onChange) => cache.subscribe(slug, onChange),
    load: (slug) => cache.load(slug),
    refresh: (slug) => cache.refresh(slug),
    async show(slug, json) {
      const state = await loadPage(json, url, true)
      if (state) cache.put(slug, state)
    },
    get(slug) {
      const state = cache.get(slug)
      return state.status === 'ready' ? state.data : state
    },
  }
}

/** Returns the state of a page from its JSON; undefined if it has no widget. */
async function loadPage(
  json: unknown,
  url: string,
  isShown: boolean,
): Promise<(LoadedPage & { readonly status: 'ready' }) | undefined> {
  const read = readPage(json)
  if (read === undefined) return undefined
  const view = await loadView(read.widget, url, isShown)
  const css = [pageCss(read.page), view.css].join('\n')
  return { status: 'ready', page: read.page, view: { ...view, css } }
}
