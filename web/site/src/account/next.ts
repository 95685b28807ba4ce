/** Where somebody signs in to come back to an address of this site. */
export const signInFor = (address: string): string => `/login?next=${encodeURIComponent(address)}`

/** The address to go to after signing in: inside the site of this origin, whatever the link said. */
export function afterSignIn(search: string, origin: string): string {
  const next = new URLSearchParams(search).get('next') ?? ''
  const url = next.startsWith('/') ? URL.parse(next, origin) : null
  // The path of "/.//elsewhere" is one that names a host when it stands alone.
  const inside = url?.origin === origin && !url.pathname.startsWith('//')
  return inside ? url.pathname + url.search + url.hash : '/account'
}
