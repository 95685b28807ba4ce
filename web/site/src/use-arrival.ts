import { useEffect, useLayoutEffect } from 'react'
import { onLeave, type Place } from './place.ts'

/**
 * Does what a browser does when a document arrives: scrolls to where the reader left off or to the top,
 * moves the focus to the heading, or back to the link that was followed, marks the current link and says
 * the title to screen readers. `shown` is the slug of the page that is drawn; undefined until it is the
 * one of the place.
 */
export function useArrival(place: Place, shown: string | undefined): void {
  const { key, path, hash, returned } = place

  useLayoutEffect(() => {
    if (shown === undefined) return
    markCurrent(path)
    const { first, changed } = arrive(path)
    const visit = returned ? visits.get(key) : undefined
    if (first) return
    if (!changed) {
      if (visit !== undefined) scrollTo(visit.depth)
      return
    }
    const target = hash === '' ? null : document.getElementById(hash.slice(1))
    focus(followed(visit) ?? target ?? heading())
    if (visit === undefined && target !== null) target.scrollIntoView()
    else scrollTo(visit?.depth ?? 0)
    announce(document.title)
  }, [shown, key, path, hash, returned])

  useEffect(
    () =>
      onLeave(({ key }) => {
        visits.set(key, { depth: window.scrollY, link: linkInFocus() })
      }),
    [],
  )
}

const scrollTo = (top: number): void => window.scrollTo({ top, behavior: 'instant' })

/** Before the first arrival, the browser itself has done all this. */
function arrive(path: string): { first: boolean; changed: boolean } {
  const before = arrived
  arrived = path
  return { first: before === undefined, changed: before !== path }
}

let arrived: string | undefined

/** How far down each visit of a page was read, and where the focus was. */
interface Visit {
  readonly depth: number
  readonly link: { readonly href: string; readonly nth: number } | undefined
}

const visits = new Map<string, Visit>()

function linkInFocus(): Visit['link'] {
  const link = document.activeElement?.closest('a[href]')
  const href = link?.getAttribute('href')
  return link && href ? { href, nth: linksTo(href).indexOf(link) } : undefined
}

const followed = (visit: Visit | undefined): Element | undefined =>
  visit?.link && linksTo(visit.link.href)[visit.link.nth]

const heading = (): Element | null =>
  document.querySelector('#content h1') ?? document.querySelector('#content')

const linksTo = (href: string): readonly Element[] =>
  Array.from(document.querySelectorAll(`a[href="${CSS.escape(href)}"]`))

function focus(target: Element | null): void {
  if (!(target instanceof HTMLElement)) return
  if (!target.matches('a, button, input, [tabindex]')) target.tabIndex = -1
  target.focus({ preventScroll: true })
}

function markCurrent(path: string): void {
  for (const link of document.querySelectorAll('nav a')) {
    if (link.getAttribute('href') === path) link.setAttribute('aria-current', 'page')
    else link.removeAttribute('aria-current')
  }
}

function announce(title: string): void {
  const status = document.getElementById('weft-status')
  if (status !== null) status.textContent = title
}
