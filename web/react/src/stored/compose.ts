import type { Looks } from './looks.ts'
import { scopeCss } from './scope.ts'
import { type View, viewDetails } from './view.ts'
import type { WidgetChild, WidgetTree } from './widget-tree.ts'

/**
 * Composes a view: puts the HTML of every child into its placeholder and joins the scoped CSS of all widgets. Needs a
 * browser.
 *
 * @param parseHtml converts stored HTML to elements; in the page it sanitises them, in the sandbox frame it does not
 */
export function compose(
  widget: WidgetTree,
  parseHtml: (html: string, looks: Looks) => DocumentFragment,
): View {
  /** Scoped CSS by widget id and stored CSS. It is computed once, although a tree may contain a widget many times. */
  const styles = new Map<string, string>()
  const host = document.implementation.createHTMLDocument('').createElement('div')
  fillHost(host, widget)
  const css = Array.from(styles.values()).filter(Boolean).join('\n')
  return { id: widget.id, html: host.innerHTML, css, ...viewDetails(widget) }

  function fillHost(host: Element, widget: WidgetTree): void {
    if (widget.name === '') {
      host.innerHTML = invalidWidgetHtml
      return
    }
    host.replaceChildren(parseHtml(widget.html, widget.looks))
    const styleKey = `${widget.id} ${widget.css}`
    if (!styles.has(styleKey))
      styles.set(styleKey, scopeCss(widget.css, widget.id, rulesFor(widget)))
    const placeholders = placeholdersIn(host)
    for (const child of widget.children)
      placeChild(child, placeholders, needsContainment(widget, child.widget))
  }

  /**
   * Puts a child into its placeholder, unless an earlier child has the same placeholder. A child without a placeholder
   * is not shown.
   */
  function placeChild(
    child: WidgetChild,
    placeholders: Map<string, Element>,
    isContained: boolean,
  ): void {
    const placeholder = placeholders.get(child.wrapper)
    if (placeholder === undefined) return
    placeholders.delete(child.wrapper)
    const childHost = placeholder.ownerDocument.createElement('div')
    childHost.setAttribute('data-widget', String(child.widget.id))
    fillHost(childHost, child.widget)
    if (isContained) styles.set('contained', containmentCss)
    placeholder.replaceChildren(isContained ? wrapContained(childHost) : childHost)
  }
}

/** Returns the CSS rules for a widget. Only trusted widgets may declare fonts, because fonts apply to the whole document. */
const rulesFor = ({ looks, trust }: WidgetTree) => ({
  addresses: looks.addresses,
  fonts: looks.addresses !== undefined && trust === 'trusted',
})

/**
 * Shown instead of a widget without a name. The wire contract prescribes the message; the server writes the same HTML.
 */
const invalidWidgetHtml = '<h4>Invalid or Widget doesn&#39;t exist</h4>'

/** Reports whether a child must not paint outside its own box, regardless of its CSS. */
export const needsContainment = (parent: WidgetTree, child: WidgetTree): boolean =>
  parent.trust === 'trusted' && child.trust !== 'trusted'

export const containmentCss =
  '[data-contained] { contain: layout paint !important; display: block !important }'

/** Wraps the host of a contained child in a box that is outside the scope of the child's CSS. */
export function wrapContained(host: HTMLElement): HTMLElement {
  const box = host.ownerDocument.createElement('div')
  box.setAttribute('data-contained', '')
  box.append(host)
  return box
}

/** Returns the host in a placeholder, given the placeholder's only child: the host itself or the box around it. */
export function hostIn(content: Element | null | undefined): HTMLElement | undefined {
  const host = content?.matches('[data-contained]') ? content.firstElementChild : content
  return host instanceof HTMLElement ? host : undefined
}

/** Returns the elements that children are put into, by their ids, in document order. */
export function placeholdersIn(html: ParentNode): Map<string, Element> {
  const placeholders = new Map<string, Element>()
  for (const element of html.querySelectorAll('.added-widget-container'))
    placeholders.set(element.id, element)
  return placeholders
}
