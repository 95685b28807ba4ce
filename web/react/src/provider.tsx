import type { Client } from '@weft/client'
import { createContext, type ReactNode, useContext } from 'react'

/** Gives everything inside it a client. Making and closing the client is the caller's business. */
export function WeftProvider({ client, children }: { client: Client; children: ReactNode }) {
  return <Weft value={client}>{children}</Weft>
}

/** The client of the nearest provider. Throws outside one. */
export function useWeft(): Client {
  const client = useContext(Weft)
  if (client === undefined) throw new Error('useWeft outside a <WeftProvider>')
  return client
}

/** The client of the nearest provider, if there is one. */
export const Weft = createContext<Client | undefined>(undefined)
