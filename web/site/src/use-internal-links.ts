import { useEffect } from 'react'
import { internal } from './internal-link.ts'
import { leave, navigate } from './place.ts'

/** Follows links to this site without loading the document again, wherever they stand in it. */
export function useInternalLinks(): void {
  useEffect(() => {
    const follow = (event: MouseEvent) => {
      const to = destination(event)
      if (to === undefined) return
      event.preventDefault()
      if (to !== location.pathname + location.search + location.hash) navigate(to)
    }
    document.addEventListener('click', follow)
    return () => document.removeEventListener('click', follow)
  }, [])
}

/** Where a click leads inside this site; undefined when it is none of our business. */
function destination(event: MouseEvent): string | undefined {
  if (event.defaultPrevented || event.button !== 0) return undefined
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return undefined
  const url = internal(event.target instanceof Element ? event.target.closest('a[href]') : null)
  if (url === undefined) return undefined
  const { pathname, search, hash } = url
  if (hash !== '' && pathname === location.pathname) {
    leave() // for a place on this page
    return undefined
  }
  return pathname + search + hash
}
