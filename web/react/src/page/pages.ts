import { WeftError } from '@weft/client'
import { type Page, pageStyle, readPage } from './page.ts'
import type { View } from './view.ts'

/** How far a page has got. `missing` means that the server has no such page. */
export type PageState =
  | { readonly status: 'loading' }
  | { readonly status: 'ready'; readonly page: Page; readonly view: View }
  | { readonly status: 'missing' }
  | { readonly status: 'error'; readonly error: Error }

/** A page that is shown already: the server sent it with the document. */
export interface FirstPage {
  readonly page: Page
  readonly view: View
}

/** The stored pages of a server, each kept once it has been loaded. */
export interface Pages {
  get(slug: string): PageState
  /** Loads the page, if that has not happened, and calls back when its state changed. */
  subscribe(slug: string, changed: () => void): () => void
  /** Loads ahead of time. Never rejects: the state tells. */
  load(slug: string): Promise<void>
}

/** @param url origin of the server */
export function createPages(url: string, first?: FirstPage): Pages {
  const states = new Map<string, PageState>()
  const under = new Map<string, Promise<void>>()
  const listeners = new Set<() => void>()
  if (first !== undefined) states.set(first.page.slug, { status: 'ready', ...first })

  const settle = (slug: string, state: PageState) => {
    under.delete(slug)
    states.set(slug, state)
    for (const changed of listeners) changed()
  }
  const get = (slug: string) => states.get(slug) ?? loading
  const load = (slug: string) => {
    const { status } = get(slug)
    if (status === 'ready' || status === 'missing') return done
    let loaded = under.get(slug)
    if (loaded === undefined) {
      loaded = fetchPage(url, slug).then(
        (state) => settle(slug, state),
        (error) => settle(slug, { status: 'error', error }),
      )
      under.set(slug, loaded)
    }
    return loaded
  }
  return {
    get,
    load,
    subscribe(slug, changed) {
      listeners.add(changed)
      void load(slug)
      return () => listeners.delete(changed)
    },
  }
}

const loading = { status: 'loading' } as const
const done = Promise.resolve()

async function fetchPage(url: string, slug: string): Promise<PageState> {
  const address = new URL(`/api/v1/pages?slug=${encodeURIComponent(slug)}`, url)
  const [response, { view }] = await Promise.all([fetch(address), import('./view.ts')])
  if (response.status === 404) return { status: 'missing' }
  if (!response.ok) throw new WeftError('unavailable', `${response.status} ${response.statusText}`)
  const read = readPage(await response.json())
  if (read === undefined) return { status: 'missing' }
  const shown = view(read.widget)
  const css = [pageStyle(read.page), shown.css].join('\n')
  return { status: 'ready', page: read.page, view: { ...shown, css } }
}
