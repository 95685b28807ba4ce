import type { Client } from '@weft/client'

/** A client of the server that nobody is signed in to, made when it is first needed. */
export function nobody(url: string): Promise<Client> {
  let client = clients.get(url)
  if (client === undefined) {
    client = import('@weft/client').then((m) => m.createClient({ url, storage: 'memory' }))
    clients.set(url, client)
  }
  return client
}

const clients = new Map<string, Promise<Client>>()
