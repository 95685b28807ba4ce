import { makeView } from '../src/stored/make-view.ts'
import { scopeCss } from '../src/stored/scope.ts'
import { readWidgetTree } from '../src/stored/widget-tree.ts'

// The functions that tests of single widgets call in the page, through `window.widgetFixture`.

/** Shows a widget the way a stored widget is shown. */
function show(json: unknown): void {
  const view = makeView(readWidgetTree(json))
  const host = document.createElement('div')
  host.setAttribute('data-widget', String(view.id))
  host.innerHTML = view.html
  document.body.append(host)
  adopt(view.css)
}

function applyScoped(css: string, widget: number): void {
  adopt(scopeCss(css, widget))
}

function adopt(css: string): void {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
}

const sanitizedHtml = (html: string): string =>
  makeView(readWidgetTree({ id: 7, name: 'w', html })).html

const widgetFixture = { show, applyScoped, sanitizedHtml }
window.widgetFixture = widgetFixture

declare global {
  interface Window {
    widgetFixture: typeof widgetFixture
  }
}
