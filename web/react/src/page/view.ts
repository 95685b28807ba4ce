import { sanitize } from './sanitize.ts'
import { scope } from './scope.ts'
import type { Child, Widget } from './widget.ts'

/** A widget tree made ready to show: clean HTML with the children in their places, and scoped CSS. */
export interface View {
  readonly id: number
  readonly html: string
  readonly css: string
}

/** Makes a view. Needs a browser. */
export function view(widget: Widget): View {
  const styles: string[] = []
  const host = document.implementation.createHTMLDocument('').createElement('div')
  fill(host, widget, styles)
  return { id: widget.id, html: host.innerHTML, css: styles.join('\n') }
}

/** What stands in the place of a widget that has no name. */
const invalid = '<h4>Invalid or Widget doesn&#39;t exist</h4>'

function fill(host: Element, widget: Widget, styles: string[]): void {
  if (widget.name === '') {
    host.innerHTML = invalid
    return
  }
  host.replaceChildren(sanitize(widget.html))
  styles.push(scope(widget.css, widget.id))
  const places = new Map(Array.from(host.querySelectorAll('.added-widget-container'), byId))
  for (const child of widget.children) place(child, places, styles)
}

/** The first child to name a place gets it; a child without a place is not shown. */
function place(child: Child, places: Map<string, Element>, styles: string[]): void {
  const host = places.get(child.wrapper)
  if (host === undefined) return
  places.delete(child.wrapper)
  const inner = host.ownerDocument.createElement('div')
  inner.setAttribute('data-widget', String(child.widget.id))
  fill(inner, child.widget, styles)
  host.replaceChildren(inner)
}

const byId = (element: Element): [string, Element] => [element.id, element]
