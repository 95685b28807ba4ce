import { readPage } from './page.ts'
import type { FirstPage } from './pages.ts'

/**
 * Finds the page that the server sent with the document inside `app`, leaving exactly what
 * `<StoredPage>` draws, for React to hydrate. Undefined when there is none.
 */
export function firstPage(app: Element): FirstPage | undefined {
  const shown = app.querySelector(':scope > .fspage')
  const host = shown?.querySelector(':scope > [data-widget]')
  const data = document.getElementById('weft-page')?.textContent
  if (!shown || !host || !data) return undefined
  const read = readPage(JSON.parse(data))
  if (read === undefined) return undefined
  shown.replaceChildren(host)
  app.replaceChildren(shown)
  const styles = Array.from(document.querySelectorAll(serverStyle), (style) => style.textContent)
  return {
    page: read.page,
    view: { id: read.widget.id, html: host.innerHTML, css: styles.join('\n') },
  }
}

/** Style elements of the page the server sent; they leave when a sheet of the same rules arrives. */
export const serverStyle = 'style[data-weft]'
