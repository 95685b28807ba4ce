import { useLayoutEffect } from 'react'
import type { Page } from './page.ts'

/** Gives the document the page's title and meta tags. What a page does not say is reset, not inherited. */
export function usePageSettings(page: Page | undefined): void {
  useLayoutEffect(() => {
    if (page === undefined) return
    document.title = page.metaTitle || page.title
    setMeta('description', page.metaDescription)
    setMeta('keywords', page.metaKeywords)
  }, [page])
}

function setMeta(name: string, content: string): void {
  let meta = document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)
  if (meta === null) {
    meta = document.createElement('meta')
    meta.name = name
    document.head.append(meta)
  }
  meta.content = content
}
