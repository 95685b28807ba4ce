import { scope } from './scope.ts'
import { told, type View } from './view.ts'
import type { Child, Widget } from './widget.ts'

/** Makes a view. Needs a browser, and somebody who makes elements of the HTML that is stored. */
export function compose(widget: Widget, elements: (html: string) => DocumentFragment): View {
  /** By what they are made of: many children may be one widget. */
  const styles = new Map<string, string>()
  const host = document.implementation.createHTMLDocument('').createElement('div')
  fill(host, widget)
  const css = Array.from(styles.values()).filter(Boolean).join('\n')
  return { id: widget.id, html: host.innerHTML, css, ...told(widget) }

  function fill(host: Element, widget: Widget): void {
    if (widget.name === '') {
      host.innerHTML = invalid
      return
    }
    host.replaceChildren(elements(widget.html))
    const brought = `${widget.id} ${widget.css}`
    if (!styles.has(brought)) styles.set(brought, scope(widget.css, widget.id))
    const places = placesIn(host)
    for (const child of widget.children) place(child, places, contains(widget, child.widget))
  }

  /** The first child to name a place gets it; a child without a place is not shown. */
  function place(child: Child, places: Map<string, Element>, lesser: boolean): void {
    const place = places.get(child.wrapper)
    if (place === undefined) return
    places.delete(child.wrapper)
    const inner = place.ownerDocument.createElement('div')
    inner.setAttribute('data-widget', String(child.widget.id))
    fill(inner, child.widget)
    if (lesser) styles.set('contained', containing)
    place.replaceChildren(lesser ? contained(inner) : inner)
  }
}

/** Whether a child must draw over nothing outside of it, whatever its style says. */
export const contains = (parent: Widget, child: Widget): boolean =>
  parent.trust === 'trusted' && child.trust !== 'trusted'

export const containing =
  '[data-contained] { contain: layout paint !important; display: block !important }'

/** A box around the host of such a child. It is outside of the child's scope. */
export function contained(host: HTMLElement): HTMLElement {
  const box = host.ownerDocument.createElement('div')
  box.setAttribute('data-contained', '')
  box.append(host)
  return box
}

/** The host that stands somewhere, or in a box there. */
export function hostOf(standing: Element | null | undefined): HTMLElement | undefined {
  const host = standing?.matches('[data-contained]') ? standing.firstElementChild : standing
  return host instanceof HTMLElement ? host : undefined
}

/** What stands in the place of a widget that has no name. */
const invalid = '<h4>Invalid or Widget doesn&#39;t exist</h4>'

/** The elements that children go into, by their ids, in the order of the HTML. */
export function placesIn(html: ParentNode): Map<string, Element> {
  const places = new Map<string, Element>()
  for (const place of html.querySelectorAll('.added-widget-container')) places.set(place.id, place)
  return places
}
