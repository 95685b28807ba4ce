import { makeView } from '../src/page/make-view.ts'
import { scope } from '../src/page/scope.ts'
import { readWidget } from '../src/page/widget.ts'

// What the tests of single widgets call inside the page, through `window.inWidget`.

/** Shows a widget as a stored one would be shown, beside an element it must not reach. */
function show(json: unknown): void {
  const made = makeView(readWidget(json))
  const host = document.createElement('div')
  host.setAttribute('data-widget', String(made.id))
  host.innerHTML = made.html
  document.body.append(host)
  adopt(made.css)
}

function style(css: string, widget: number): void {
  adopt(scope(css, widget))
}

function adopt(css: string): void {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
}

const cleaned = (html: string): string => makeView(readWidget({ id: 7, name: 'w', html })).html

const inWidget = { show, style, cleaned }
window.inWidget = inWidget

declare global {
  interface Window {
    inWidget: typeof inWidget
  }
}
