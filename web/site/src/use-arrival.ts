import { type Pages, useStoredPage } from '@weft/react/page'
import { useEffect, useLayoutEffect } from 'react'
import { useLocation, useNavigationType } from 'react-router'

/**
 * Does what a browser does when a document arrives: scrolls to where the reader left off or to the top,
 * moves the focus, marks the current link and says the title to screen readers.
 */
export function useArrival(pages: Pages, slug: string): void {
  const { key, hash, pathname } = useLocation()
  const back = useNavigationType() === 'POP'
  const ready = useStoredPage(pages, slug).status === 'ready'

  useLayoutEffect(() => {
    if (!ready) return
    markCurrent(pathname)
    const stayed = arrived === undefined || arrived === key
    arrived = key
    if (stayed) return
    const target = hash === '' ? null : document.getElementById(hash.slice(1))
    document.querySelector<HTMLElement>('#content')?.focus({ preventScroll: true })
    if (target !== null) target.scrollIntoView()
    else window.scrollTo(0, back ? (depths.get(key) ?? 0) : 0)
    announce(document.title)
  }, [ready, key, hash, pathname, back])

  useEffect(() => {
    const remember = () => depths.set(key, window.scrollY)
    window.addEventListener('scroll', remember, { passive: true })
    return () => window.removeEventListener('scroll', remember)
  }, [key])
}

/** The visit that was arrived at last. Before the first, the browser itself has done all this. */
let arrived: string | undefined

/** How far down each visit of a page was read. */
const depths = new Map<string, number>()

function markCurrent(pathname: string): void {
  for (const link of document.querySelectorAll('nav a')) {
    if (link.getAttribute('href') === pathname) link.setAttribute('aria-current', 'page')
    else link.removeAttribute('aria-current')
  }
}

function announce(title: string): void {
  const status = document.getElementById('weft-status')
  if (status !== null) status.textContent = title
}
