import { listIn, memberOf } from './json.ts'

/**
 * Parts of the appearance of stored widgets that the operator allows in addition to those allowed on every site. The server sends
 * them with a widget tree, and renders by the same rules (`internal/site/page/looks.go`).
 */
export interface Looks {
  /** Whether style attributes are kept. Declarations that load from elsewhere are removed even then. */
  readonly styles: boolean
  /**
   * Matches the URLs of other sites that the operator allows: for pictures and frames of all widgets, and for fonts of
   * trusted widgets. Undefined if no such URL is allowed.
   */
  readonly addresses: RegExp | undefined
}

/** The looks of a server that allows nothing beyond the rules of every site. */
export const plainLooks: Looks = { styles: false, addresses: undefined }

/** Reads the looks out of the JSON of a widget tree. */
export function looksIn(tree: unknown): Looks {
  const json = memberOf(tree, 'looks')
  const hosts = listIn(json, 'hosts').filter(isHost)
  const styles = memberOf(json, 'styles') === true
  if (!styles && hosts.length === 0) return plainLooks
  return { styles, addresses: hosts.length > 0 ? addressesOf(hosts) : undefined }
}

const hostSource =
  /^https?:\/\/([a-z0-9]([a-z0-9.-]*[a-z0-9])?|\*\.[a-z0-9-]+(\.[a-z0-9-]+)+)(:[0-9]{1,5})?$/

const isHost = (host: unknown): host is string => typeof host === 'string' && hostSource.test(host)

/** Matches a path. Its characters are limited to those that mean the same in HTML, in CSS and in every browser. */
const remotePath = '(?:/[\\w./~%?=&+,;:@!*$#-]*)?'

/** Returns a pattern that matches the URLs of hosts. A star matches any subdomain. */
function addressesOf(hosts: readonly string[]): RegExp {
  const origins = hosts.map((host) => host.replaceAll('.', '\\.').replace('*', '[a-z0-9.-]+'))
  return new RegExp(`^(?:${origins.join('|')})${remotePath}$`)
}
