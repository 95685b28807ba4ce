import { useEffect, useLayoutEffect } from 'react'
import { onBeforeLeave, type SiteLocation } from './navigation.ts'

/**
 * Does for client-side navigation what a browser does when it loads a document: scrolls to the top or to the
 * restored position, focuses the heading or the link that was followed, marks the current link, and announces the
 * title to screen readers. `slug` is the page that is shown; undefined while the page of the location is loading.
 */
export function usePageTransition(location: SiteLocation, slug: string | undefined): void {
  const { key, path, hash, isRestored } = location

  useLayoutEffect(() => {
    if (slug === undefined) return
    markCurrentLinks(path)
    const { isFirst, isOtherPage } = recordArrival(path)
    const visit = isRestored ? visits.get(key) : undefined
    if (isFirst) return
    if (!isOtherPage) {
      if (visit !== undefined) scrollTo(visit.scrollTop)
      return
    }
    const target = hash === '' ? null : document.getElementById(hash.slice(1))
    focus(linkOf(visit) ?? target ?? heading())
    if (visit === undefined && target !== null) target.scrollIntoView()
    else scrollTo(visit?.scrollTop ?? 0)
    announce(document.title)
  }, [slug, key, path, hash, isRestored])

  useEffect(
    () =>
      onBeforeLeave(({ key }) => {
        visits.set(key, { scrollTop: window.scrollY, link: focusedLink() })
      }),
    [],
  )
}

const scrollTo = (top: number): void => window.scrollTo({ top, behavior: 'instant' })

/** Records the path that is now shown. `isFirst` is true for the first document, which the browser handles itself. */
function recordArrival(path: string): { isFirst: boolean; isOtherPage: boolean } {
  const previous = shownPath
  shownPath = path
  return { isFirst: previous === undefined, isOtherPage: previous !== path }
}

let shownPath: string | undefined

/** The state that is restored when the reader goes back to a history entry. */
interface Visit {
  readonly scrollTop: number
  /** The focused link, as the n-th link with this address. */
  readonly link: { readonly href: string; readonly index: number } | undefined
}

const visits = new Map<string, Visit>()

function focusedLink(): Visit['link'] {
  const link = document.activeElement?.closest('a[href]')
  const href = link?.getAttribute('href')
  return link && href ? { href, index: linksTo(href).indexOf(link) } : undefined
}

const linkOf = (visit: Visit | undefined): Element | undefined =>
  visit?.link && linksTo(visit.link.href)[visit.link.index]

const heading = (): Element | null =>
  document.querySelector('#content h1') ?? document.querySelector('#content')

const linksTo = (href: string): readonly Element[] =>
  Array.from(document.querySelectorAll(`a[href="${CSS.escape(href)}"]`))

function focus(target: Element | null): void {
  if (!(target instanceof HTMLElement)) return
  if (!target.matches('a, button, input, [tabindex]')) target.tabIndex = -1
  target.focus({ preventScroll: true })
}

function markCurrentLinks(path: string): void {
  for (const link of document.querySelectorAll('nav a')) {
    if (link.getAttribute('href') === path) link.setAttribute('aria-current', 'page')
    else link.removeAttribute('aria-current')
  }
}

function announce(title: string): void {
  const status = document.getElementById('weft-status')
  if (status !== null) status.textContent = title
}
