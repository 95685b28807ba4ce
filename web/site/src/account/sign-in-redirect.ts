/** Returns the address of the sign-in page, which leads back to `address` afterwards. */
export const signInUrl = (address: string): string => `/login?next=${encodeURIComponent(address)}`

/** Returns the address to open after signing in. Addresses outside this site are replaced by the account page. */
export function redirectAfterSignIn(search: string, origin: string): string {
  const next = new URLSearchParams(search).get('next') ?? ''
  const url = next.startsWith('/') ? URL.parse(next, origin) : null
  // The path of "/.//elsewhere" is "//elsewhere", which names a host when used alone.
  const isInternal = url?.origin === origin && !url.pathname.startsWith('//')
  return isInternal ? url.pathname + url.search + url.hash : '/account'
}
