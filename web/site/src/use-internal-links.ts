import { useEffect } from 'react'
import { internalUrl } from './internal-url.ts'
import { navigate, notifyBeforeLeave } from './navigation.ts'

/** Follows all links to pages of this site without loading a new document. */
export function useInternalLinks(): void {
  useEffect(() => {
    const followLink = (event: MouseEvent) => {
      const to = destinationOf(event)
      if (to === undefined) return
      event.preventDefault()
      if (to !== location.pathname + location.search + location.hash) navigate(to)
    }
    document.addEventListener('click', followLink)
    return () => document.removeEventListener('click', followLink)
  }, [])
}

/** Returns the address that a click leads to; undefined if the browser should handle the click. */
function destinationOf(event: MouseEvent): string | undefined {
  if (event.defaultPrevented || event.button !== 0) return undefined
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return undefined
  const url = internalUrl(event.target instanceof Element ? event.target.closest('a[href]') : null)
  if (url === undefined) return undefined
  const { pathname, search, hash } = url
  if (hash !== '' && pathname === location.pathname) {
    notifyBeforeLeave() // the browser scrolls to the element itself
    return undefined
  }
  return pathname + search + hash
}
