/** Returns the URL of a link to a page of this site; undefined for all other links. */
export function internalUrl(link: Element | null): URL | undefined {
  if (!(link instanceof HTMLAnchorElement) || link.hasAttribute('download')) return undefined
  if (link.target !== '' && link.target !== '_self') return undefined
  const url = new URL(link.href)
  return url.origin === location.origin && !otherPaths.test(url.pathname) ? url : undefined
}

/**
 * Paths that are not pages: paths that the server handles itself, paths of files, and paths that start with `//`. A
 * browser would read the last kind as a host.
 */
const otherPaths =
  /^\/(api|assets|client|confirm|console|docs|og|packages|reset|setup)(\/|$)|^\/\/|\.\w+$/
