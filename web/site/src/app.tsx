import { getStoredProfile, onProfileChange } from '@weft/client/account'
import { type Pages, StoredPage, useStoredPage } from '@weft/react/page'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { signInUrl } from './account/sign-in-redirect.ts'
import { navigate, type SiteLocation, useSiteLocation } from './navigation.ts'
import { PageError } from './page-error.tsx'
import { slots } from './slots.tsx'
import { useInternalLinks } from './use-internal-links.ts'
import { useLivePreview } from './use-live-preview.ts'
import { useMenuDismissal } from './use-menu-dismissal.ts'
import { usePageTransition } from './use-page-transition.ts'
import { usePrefetch } from './use-prefetch.ts'
import { usePreview } from './use-preview.ts'
import { useServerAddress } from './use-server-address.ts'

/** The page in the first document, and the path of that document. */
interface InitialPage {
  readonly slug: string
  readonly path: string
}

interface AppProps {
  readonly pages: Pages
  readonly initial?: InitialPage | undefined
}

/** Shows the stored page of the current location. The server decides which pages exist. */
export function App({ pages, initial }: AppProps) {
  const location = useSiteLocation()
  const requestedSlug = slugAt(location, initial)
  const state = useStoredPage(pages, requestedSlug)
  const { status } = state
  const loadedSlug =
    status === 'missing' ? notFoundSlug : status === 'loading' ? undefined : requestedSlug
  const shownSlug = useLastDefined(loadedSlug) ?? initial?.slug ?? requestedSlug
  useInternalLinks()
  useMenuDismissal()
  usePrefetch(pages, shownSlug)
  useSignInGuard(location, state.status === 'ready' && state.page.guarded)
  usePageTransition(location, loadedSlug)
  useLivePreview(location, pages, shownSlug)
  usePreview(location, pages, shownSlug)
  useServerAddress(shownSlug, status)
  return (
    <>
      {status === 'loading' && location.path !== initial?.path && (
        <div className="loading-bar" role="progressbar" aria-label="Loading" />
      )}
      {status === 'error' ? (
        <PageError retry={() => void pages.load(requestedSlug)} />
      ) : (
        <StoredPage pages={pages} slug={shownSlug} slots={slots} />
      )}
    </>
  )
}

const notFoundSlug = '/404'

/**
 * Returns the slug to load. A page may have several slugs, so the document names the one it contains. A document for
 * a missing page may come from a cache, so the server is asked again.
 */
const slugAt = ({ path }: SiteLocation, initial: InitialPage | undefined): string =>
  path === initial?.path && initial.slug !== notFoundSlug ? initial.slug : path

/** Returns the last defined value, so that a page stays visible until the next one is loaded. */
function useLastDefined<T>(value: T | undefined): T | undefined {
  const [last, setLast] = useState(value)
  if (value !== undefined && value !== last) setLast(value)
  return value ?? last
}

/** Redirects guests to the sign-in page. */
function useSignInGuard({ path, search }: SiteLocation, isGuarded: boolean): void {
  const signedIn = useSyncExternalStore(onProfileChange, isSignedIn, () => false)
  useEffect(() => {
    if (isGuarded && !signedIn && !isSignedIn()) navigate(signInUrl(path + search), 'replace')
  }, [isGuarded, signedIn, path, search])
}

const isSignedIn = () => getStoredProfile() !== undefined
