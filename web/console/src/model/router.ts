import { useMemo, useSyncExternalStore } from 'react'

/** The path of the console on the server. Addresses inside the console are relative to it: `/records/the_order`. */
const base = '/console'

/** The parts of an address of the console. */
export interface ConsoleLocation {
  /** The first segment, such as `records`; empty for the start. */
  readonly room: string
  /** The decoded segments after the room: `['the_order', '100231']`. */
  readonly rest: readonly string[]
  readonly params: URLSearchParams
  /** The address in the form that `navigate` accepts. */
  readonly path: string
}

/** Goes to an address such as `/records/the_order?q=pen`. With `replace` the current entry of the history is replaced. */
export function navigate(path: string, options: { readonly replace?: boolean } = {}): void {
  const target = hrefOf(path)
  if (target === location.pathname + location.search) return
  if (options.replace) history.replaceState(null, '', target)
  else history.pushState(null, '', target)
  for (const listener of listeners) listener()
}

/** Returns the attribute `href` for an address of the console: its path on the server. */
export const hrefOf = (path: string): string => (path === '/' ? base : base + path)

/** Replaces search parameters of the current address; `undefined` or an empty string removes a parameter. */
export function setParams(
  changes: Readonly<Record<string, string | undefined>>,
  options: { readonly replace?: boolean } = { replace: true },
): void {
  const { path, params } = parse(location.pathname + location.search)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') params.delete(name)
    else params.set(name, value)
  }
  const query = params.toString()
  navigate(path.split('?')[0] + (query && `?${query}`), options)
}

/** Returns the current address and renders again when it changes. */
export function useLocation(): ConsoleLocation {
  const address = useSyncExternalStore(subscribe, () => location.pathname + location.search)
  return useMemo(() => parse(address), [address])
}

const listeners = new Set<() => void>()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  window.addEventListener('popstate', listener)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('popstate', listener)
  }
}

function parse(address: string): ConsoleLocation {
  const { pathname, searchParams } = new URL(address, location.origin)
  const inside = pathname.slice(base.length)
  const [room = '', ...rest] = inside
    .split('/')
    .filter((part) => part !== '')
    .map(decode)
  return {
    room,
    rest,
    params: searchParams,
    path: (inside || '/') + new URL(address, location.origin).search,
  }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part // a percent sign that encodes nothing
  }
}
