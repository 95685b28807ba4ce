import { readPage } from './page.ts'
import type { FirstPage } from './pages.ts'
import { told } from './view.ts'

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
  leaveOnly(host, shown)
  leaveOnly(shown, app)
  const styles = Array.from(document.querySelectorAll(serverStyle), (style) => style.textContent)
  return {
    page: read.page,
    view: {
      id: read.widget.id,
      html: host.innerHTML,
      css: styles.join('\n'),
      ...told(read.widget),
    },
  }
}

/** Takes out all beside a child. It stays where it is, because what is put back is laid out and painted again. */
function leaveOnly(child: Element, parent: Element): void {
  for (const other of Array.from(parent.childNodes)) if (other !== child) other.remove()
}

/** Style elements of the page the server sent; they leave when a sheet of the same rules arrives. */
export const serverStyle = 'style[data-weft]'
