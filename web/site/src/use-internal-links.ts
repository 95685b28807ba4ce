import { useEffect } from 'react'
import { useNavigate } from 'react-router'

/** Follows links to this site without loading the document again, wherever they stand in it. */
export function useInternalLinks(): void {
  const navigate = useNavigate()
  useEffect(() => {
    const follow = (event: MouseEvent) => {
      const to = destination(event)
      if (to === undefined) return
      event.preventDefault()
      if (to !== location.pathname + location.search + location.hash) void navigate(to)
    }
    document.addEventListener('click', follow)
    return () => document.removeEventListener('click', follow)
  }, [navigate])
}

/** Where a click leads inside this site; undefined when it is none of our business. */
function destination(event: MouseEvent): string | undefined {
  if (event.defaultPrevented || event.button !== 0) return undefined
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return undefined
  const link = event.target instanceof Element ? event.target.closest('a[href]') : null
  if (!(link instanceof HTMLAnchorElement) || link.hasAttribute('download')) return undefined
  if (link.target !== '' && link.target !== '_self') return undefined
  const { origin, pathname, search, hash } = new URL(link.href)
  if (origin !== location.origin || pathname.startsWith('/api/')) return undefined
  if (hash !== '' && pathname === location.pathname) return undefined // a place on this page
  return pathname + search + hash
}
