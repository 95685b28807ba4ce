import { lazy, useCallback, useSyncExternalStore } from 'react'
import { Documented } from './documented.tsx'
import { Failed, InvalidPage, PleaseWait } from './message.tsx'
import type { PageState, Pages } from './pages.ts'
import { useNews } from './use-news.ts'
import { usePageSettings } from './use-page-settings.ts'
import { type CodeProps, type Slots, WidgetHost } from './widget-host.tsx'

export interface StoredPageProps extends CodeProps {
  readonly pages: Pages
  readonly slug: string
  /** Components to put into the page. The same object between renders, or the page is searched again. */
  readonly slots?: Slots
  /** False leaves out the button that opens what is written about the page's body. */
  readonly showDocumentation?: boolean
}

/**
 * Shows a stored page and gives the document its title, meta tags and settings. Inside a provider a newer
 * version takes its place as soon as it is published.
 */
export function StoredPage(props: StoredPageProps) {
  const { pages, slug, slots, showDocumentation = true, ...code } = props
  const state = useStoredPage(pages, slug)
  const ready = state.status === 'ready' ? state : undefined
  useNews(ready?.view, () => pages.refresh(slug), ready?.page.id)
  usePageSettings(ready?.page)
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
          <WidgetHost key={slug} view={state.view} url={pages.url} slots={slots} {...code} />
          {showDocumentation && <Documented view={state.view} url={pages.url} show={shown} />}
        </div>
      )
  }
}

const StoredWidget = lazy(() =>
  import('./stored-widget.tsx').then(({ StoredWidget }) => ({ default: StoredWidget })),
)

/** The widget that shows what is written about another one. */
const shown = (by: number, currentWidgetId: string) => (
  <StoredWidget id={by} version="latest" props={{ currentWidgetId }} showDocumentation={false} />
)

/** How far a page has got; loads it when it is first asked for. */
export function useStoredPage(pages: Pages, slug: string): PageState {
  const subscribe = useCallback(
    (changed: () => void) => pages.subscribe(slug, changed),
    [pages, slug],
  )
  const get = () => pages.get(slug)
  return useSyncExternalStore(subscribe, get, get)
}
