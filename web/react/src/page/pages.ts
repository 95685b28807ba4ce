import { type Cache, createCache, type Stored, textOf } from './cache.ts'
import { type Page, pageStyle, readPage } from './page.ts'
import type { View } from './view.ts'
import { viewOf } from './view-of.ts'

/** A page made ready to show. */
export interface FirstPage {
  readonly page: Page
  readonly view: View
}

/** How far a page has got. `missing` means that the server has no such page. */
export type PageState =
  | Exclude<Stored<FirstPage>, { status: 'ready' }>
  | ({ readonly status: 'ready' } & FirstPage)

/** The stored pages of a server, each kept once it has been loaded. */
export interface Pages {
  /** Origin of the server. */
  readonly url: string
  get(slug: string): PageState
  /** Loads the page, if that has not happened lately, and calls back when its state changed. */
  subscribe(slug: string, changed: () => void): () => void
  /** Loads ahead of time. Never rejects: the state tells. */
  load(slug: string): Promise<void>
  /** Asks again; what is shown stays until something else arrives. */
  refresh(slug: string): Promise<void>
}

/**
 * @param url origin of the server
 * @param first a page that is shown already: the server sent it with the document
 */
export function createPages(url: string, first?: FirstPage): Pages {
  const cache: Cache<PageState> = createCache(
    async (slug) =>
      textOf(await fetch(new URL(`/api/v1/pages?slug=${encodeURIComponent(slug)}`, url))),
    async (text, shown) => {
      const read = readPage(JSON.parse(text))
      if (read === undefined) return undefined
      const made = await viewOf(read.widget, url, shown)
      const css = [pageStyle(read.page), made.css].join('\n')
      return { status: 'ready', page: read.page, view: { ...made, css } }
    },
  )
  if (first !== undefined) cache.put(first.page.slug, { status: 'ready', ...first })
  const { subscribe, load, refresh } = cache
  return {
    url,
    subscribe,
    load,
    refresh,
    get(slug) {
      const state = cache.get(slug)
      return state.status === 'ready' ? state.data : state
    },
  }
}
