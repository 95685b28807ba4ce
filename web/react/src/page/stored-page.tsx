import { useCallback, useSyncExternalStore } from 'react'
import { Failed, InvalidPage, PleaseWait } from './message.tsx'
import type { PageState, Pages } from './pages.ts'
import { usePageSettings } from './use-page-settings.ts'
import { type Slots, WidgetHost } from './widget-host.tsx'

export interface StoredPageProps {
  readonly pages: Pages
  readonly slug: string
  /** Components to put into the page. The same object between renders, or the page is searched again. */
  readonly slots?: Slots
}

/** Shows a stored page and gives the document its title, meta tags and settings. */
export function StoredPage({ pages, slug, slots }: StoredPageProps) {
  const state = useStoredPage(pages, slug)
  usePageSettings(state.status === 'ready' ? state.page : undefined)
  switch (state.status) {
    case 'loading':
      return <PleaseWait />
    case 'missing':
      return <InvalidPage />
    case 'error':
      return <Failed error={state.error} retry={() => void pages.load(slug)} />
    case 'ready':
      return (
        <div className="fspage">
          <WidgetHost key={slug} view={state.view} slots={slots} />
        </div>
      )
  }
}

/** How far a page has got; loads it when it is first asked for. */
export function useStoredPage(pages: Pages, slug: string): PageState {
  const subscribe = useCallback(
    (changed: () => void) => pages.subscribe(slug, changed),
    [pages, slug],
  )
  const get = () => pages.get(slug)
  return useSyncExternalStore(subscribe, get, get)
}
