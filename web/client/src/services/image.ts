import type { Client } from '../api.ts'

/**
 * Where this server has a picture: the last part of any address of it counts, so that addresses stored while the
 * pictures were elsewhere stay good. The small variant has `_small` before its ending. An address that names
 * nothing is left as it is.
 */
export function imageAddress(client: Client, address: string, size?: 'small'): string {
  const name = nameIn(address)
  if (!name) return address
  return `${client.url}/uploads/${size ? name.replace(/(\.[^.]*)?$/, '_small$1') : name}`
}

/** The name of an upload in its address. */
export const nameIn = (address: string): string =>
  address.replace(/[?#].*$/, '').replace(/^.*\//, '')
