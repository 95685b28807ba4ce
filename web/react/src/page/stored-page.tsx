import { lazy, useCallback, useLayoutEffect, useState, useSyncExternalStore } from 'react'
import { ErrorMessage, InvalidPage, PleaseWait } from '../stored/messages.tsx'
import { LazyDocumentation } from './lazy-documentation.tsx'
import type { Page } from './page.ts'
import type { PageState, Pages } from './pages.ts'
import { useRefetchOnChange } from './use-refetch-on-change.ts'
import { type CodeProps, type Slots, WidgetHost } from './widget-host.tsx'

export interface StoredPageProps extends CodeProps {
  readonly pages: Pages
  readonly slug: string
  /**
   * Components to render inside the page. Pass the same object on every render, because the placeholders are looked up
   * again for a new object.
   */
  readonly slots?: Slots
  /** False hides the button that opens the documentation of the page's body. Default: true. */
  readonly showDocumentation?: boolean
}

/**
 * Renders a stored page and applies its title, meta tags and layout settings to the document. Inside a provider, a
 * newly published version replaces the page immediately.
 */
export function StoredPage(props: StoredPageProps) {
  const { pages, slug, slots, showDocumentation = true, ...code } = props
  const [host, setHost] = useState<HTMLElement>()
  const state = useStoredPage(pages, slug)
  const loaded = state.status === 'ready' ? state : undefined
  useRefetchOnChange(loaded?.view, () => pages.refresh(slug), loaded?.page.id)
  useDocumentSettings(loaded?.page)
  switch (state.status) {
    case 'loading':
      return <PleaseWait />
    case 'missing':
      return <InvalidPage />
    case 'error':
      return <ErrorMessage error={state.error} retry={() => void pages.load(slug)} />
    case 'ready':
      return (
        <div className="fspage">
          <WidgetHost
            key={slug}
            view={state.view}
            url={pages.url}
            slots={slots}
            onHost={setHost}
            {...code}
          />
          {showDocumentation && (
            <LazyDocumentation
              view={state.view}
              host={host}
              url={pages.url}
              Widget={StoredWidget}
            />
          )}
        </div>
      )
  }
}

// Loaded on demand: most users never open the documentation of a page.
const StoredWidget = lazy(() =>
  import('./stored-widget.tsx').then(({ StoredWidget }) => ({ default: StoredWidget })),
)

/** Returns the state of a page, and loads the page when it is first needed. */
export function useStoredPage(pages: Pages, slug: string): PageState {
  const subscribe = useCallback(
    (onChange: () => void) => pages.subscribe(slug, onChange),
    [pages, slug],
  )
  const getState = () => pages.get(slug)
  return useSyncExternalStore(subscribe, getState, getState)
}

/**
 * Sets the title and meta tags of the document. A setting that the page leaves out becomes empty, because the value of
 * the previous page must not remain.
 */
function useDocumentSettings(page: Page | undefined): void {
  useLayoutEffect(() => {
    if (page === undefined) return
    document.title = page.metaTitle || page.title
    setMeta('description', page.metaDescription)
    setMeta('keywords', page.metaKeywords)
  }, [page])
}

function setMeta(name: string, content: string): void {
  let meta = document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)
  if (meta === null) {
    meta = document.createElement('meta')
    meta.name = name
    document.head.append(meta)
  }
  meta.content = content
}
