import type { DocumentedChild } from '../stored/view.ts'

/** The element for the documentation buttons of the children that are drawn in one host. */
export interface ButtonPlace {
  readonly element: HTMLElement
  /** Distinguishes the places of a view. */
  readonly key: string
  readonly children: readonly DocumentedChild[]
}

/**
 * Keeps a place for documentation buttons next to the host of every child that has documentation, even after the code
 * of a widget has redrawn the child. Children inside a sandbox frame share the place of the frame.
 *
 * @param onChange called with all places, initially and after a place was added or removed
 * @returns a function that removes the places
 */
export function watchPlaces(
  root: HTMLElement,
  children: readonly DocumentedChild[],
  onChange: (places: readonly ButtonPlace[]) => void,
): () => void {
  const elements = new Map<Element, HTMLElement>()
  let count = 0
  const update = () => {
    const found = findHosts(root, children)
    for (const [host, element] of elements)
      if (!found.has(host)) {
        element.remove()
        elements.delete(host)
      }
    let hasNewPlace = false
    for (const [host, childrenInHost] of found) {
      hasNewPlace ||= !elements.has(host)
      const element = elements.get(host) ?? createPlace(childrenInHost)
      elements.set(host, element)
      insertPlace(root, host, element)
    }
    if (!hasNewPlace && count === elements.size) return
    count = elements.size
    onChange(
      Array.from(elements, ([host, element], i) => ({
        element,
        key: String(i),
        children: found.get(host) ?? children,
      })),
    )
  }
  update()
  const observer = new MutationObserver(update)
  observer.observe(root, { childList: true, subtree: true })
  return () => {
    observer.disconnect()
    for (const element of elements.values()) element.remove()
  }
}

/** Returns the hosts in which children with documentation are drawn, and these children. */
function findHosts(
  root: HTMLElement,
  children: readonly DocumentedChild[],
): Map<Element, readonly DocumentedChild[]> {
  const found = new Map<Element, readonly DocumentedChild[]>()
  for (const id of new Set(children.map((child) => child.hostId))) {
    const selector = `[data-widget="${id}"]`
    const hosts = root.matches(selector) ? [root] : root.querySelectorAll(selector)
    const childrenInHost = withoutRepetition(children.filter((child) => child.hostId === id))
    for (const host of hosts) found.set(host, childrenInHost)
  }
  return found
}

/** Returns each widget once, because a tree may contain the same widget many times. */
const withoutRepetition = (children: readonly DocumentedChild[]): readonly DocumentedChild[] => [
  ...new Map(children.map((child) => [child.root, child])).values(),
]

function createPlace([first]: readonly DocumentedChild[]): HTMLElement {
  const place = document.createElement('div')
  place.setAttribute('data-documentation', '')
  place.style.setProperty('--level', String(first?.level ?? 0))
  return place
}

/**
 * Inserts a place after the host or the box that contains it, or at the end of the main widget. The place may be the
 * second element of a placeholder, because the code of widgets reads only the first.
 */
function insertPlace(root: HTMLElement, host: Element, place: HTMLElement): void {
  const box = host.parentElement?.closest('[data-contained]') ?? host
  if (host === root) {
    if (place.parentElement !== root) root.append(place)
  } else if (box.nextElementSibling !== place) box.after(place)
}
