import { storedProfile, watchProfile } from '@weft/client/account'
import { type Pages, StoredPage, useStoredPage } from '@weft/react/page'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { signInFor } from './account/next.ts'
import { Interrupted } from './interrupted.tsx'
import { navigate, type Place, usePlace } from './place.ts'
import { slots } from './slots.tsx'
import { useArrival } from './use-arrival.ts'
import { useEdits } from './use-edits.ts'
import { useInternalLinks } from './use-internal-links.ts'
import { useMenus } from './use-menus.ts'
import { usePrefetch } from './use-prefetch.ts'

/** What the document brought: the slug of its page, and the path it stood at. */
export interface Start {
  readonly slug: string
  readonly path: string
}

/** Shows the stored page of wherever the reader is. Which pages there are is for the server to say. */
export function App({ pages, start }: { pages: Pages; start?: Start | undefined }) {
  const place = usePlace()
  const asked = slugAt(place, start)
  const state = useStoredPage(pages, asked)
  const { status } = state
  const settled = status === 'missing' ? notFound : status === 'loading' ? undefined : asked
  const shown = useLast(settled) ?? start?.slug ?? asked
  useInternalLinks()
  useMenus()
  usePrefetch(pages, shown)
  useGuard(place, state.status === 'ready' && state.page.guarded)
  useArrival(place, settled)
  useEdits(place, pages, shown)
  return (
    <>
      {status === 'loading' && place.path !== start?.path && (
        <div className="loading-bar" role="progressbar" aria-label="Loading" />
      )}
      {status === 'error' ? (
        <Interrupted retry={() => void pages.load(asked)} />
      ) : (
        <StoredPage pages={pages} slug={shown} slots={slots} />
      )}
    </>
  )
}

const notFound = '/404'

/**
 * A page may have several slugs; the one the document brought is known. Only the server knows that there
 * is nothing at an address: the document that says so may come from a cache.
 */
const slugAt = ({ path }: Place, start: Start | undefined): string =>
  path === start?.path && start.slug !== notFound ? start.slug : path

/** What was defined last: a page stays until the next one is there. */
function useLast<T>(value: T | undefined): T | undefined {
  const [last, setLast] = useState(value)
  if (value !== undefined && value !== last) setLast(value)
  return value ?? last
}

function useGuard({ path, search }: Place, guarded: boolean): void {
  const known = useSyncExternalStore(watchProfile, isSignedIn, nobody)
  useEffect(() => {
    if (guarded && !known && !isSignedIn()) navigate(signInFor(path + search), 'replace')
  }, [guarded, known, path, search])
}

const isSignedIn = () => storedProfile() !== undefined
const nobody = () => false
