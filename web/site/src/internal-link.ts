/** Where a link leads when it stays among the pages of this site. */
export function internal(link: Element | null): URL | undefined {
  if (!(link instanceof HTMLAnchorElement) || link.hasAttribute('download')) return undefined
  if (link.target !== '' && link.target !== '_self') return undefined
  const url = new URL(link.href)
  return url.origin === location.origin && !notPages.test(url.pathname) ? url : undefined
}

/** What the server answers itself, files, and paths that name a host when they stand alone. */
const notPages = /^\/(api|assets|og|reset|confirm|setup)(\/|$)|^\/\/|\.\w+$/
