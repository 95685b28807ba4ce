import type { Pages } from '@weft/react/page'
import { useEffect } from 'react'
import type { SiteLocation } from './navigation.ts'

/** A message of the console to a page in its frame: the edited widget, in the server's format. */
interface PreviewMessage {
  readonly preview: 'widget'
  /** Id of the original. All its versions in the page are replaced. */
  readonly root: number
  readonly widget: unknown
  /** Whether the widget replaces the body of the page. True if no page contains the widget. */
  readonly isBody: boolean
}

/**
 * Shows edits of the console in the page, if the address contains `?preview` and the page is inside a frame. Only pages of
 * this origin can frame it.
 */
export function usePreview({ search }: SiteLocation, pages: Pages, slug: string): void {
  const isPreview = new URLSearchParams(search).has('preview') && window.parent !== window
  useEffect(() => {
    if (!isPreview) return
    let stored: Promise<unknown> | undefined
    const onMessage = async ({ source, origin, data }: MessageEvent) => {
      if (source !== window.parent || origin !== location.origin || !isMessage(data)) return
      stored ??= fetch(`/api/v1/pages?slug=${encodeURIComponent(slug)}`).then((r) => r.json())
      await pages.show(slug, withWidget(await stored, data))
    }
    window.addEventListener('message', onMessage)
    window.parent.postMessage({ preview: 'ready' }, location.origin)
    return () => window.removeEventListener('message', onMessage)
  }, [isPreview, pages, slug])
}

const isMessage = (data: unknown): data is PreviewMessage =>
  typeof data === 'object' && data !== null && (data as PreviewMessage).preview === 'widget'

/** Returns the JSON of a page with a widget replaced. */
function withWidget(page: unknown, { root, widget, isBody }: PreviewMessage): unknown {
  const { widget: body, ...rest } = page as { readonly widget: Node }
  return { ...rest, widget: isBody ? widget : replaced(body, root, widget) }
}

interface Node {
  readonly id: number
  readonly root?: number
  readonly children?: readonly { readonly wrapper: string; readonly widget: Node }[]
}

function replaced(node: Node, root: number, widget: unknown): unknown {
  if ((node.root || node.id) === root) return widget
  const children = node.children?.map((child) => ({
    ...child,
    widget: replaced(child.widget, root, widget),
  }))
  return { ...node, children }
}
