import { viewDetails } from '../stored/view.ts'
import { readPage } from './page.ts'
import type { LoadedPage } from './pages.ts'

/**
 * Reads the page that the server rendered inside `app`, and reduces `app` to exactly what `<StoredPage>` renders, so
 * that React can hydrate it. Returns undefined when the server rendered no page.
 */
export function readFirstPage(app: Element): LoadedPage | undefined {
  const pageElement = app.querySelector(':scope > .fspage')
  const host = pageElement?.querySelector(':scope > [data-widget]')
  const data = document.getElementById('weft-page')?.textContent
  if (!pageElement || !host || !data) return undefined
  const read = readPage(JSON.parse(data))
  if (read === undefined) return undefined
  removeSiblings(host, pageElement)
  removeSiblings(pageElement, app)
  const styles = Array.from(
    document.querySelectorAll(serverStyleSelector),
    (style) => style.textContent,
  )
  return {
    page: read.page,
    view: {
      id: read.widget.id,
      html: host.innerHTML,
      css: styles.join('\n'),
      ...viewDetails(read.widget),
    },
  }
}

/**
 * Removes all children of `parent` except `child`. `child` is never detached, because the browser would lay out and
 * paint a reinserted element again.
 */
function removeSiblings(child: Element, parent: Element): void {
  for (const other of Array.from(parent.childNodes)) if (other !== child) other.remove()
}

/** Matches the style elements of a server-rendered page. `WidgetHost` replaces them by a sheet with the same rules. */
export const serverStyleSelector = 'style[data-weft]'
