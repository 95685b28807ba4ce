import type { Client } from '@weft/client'
import { createContext, type ReactNode, useContext } from 'react'

export interface WeftProviderProps {
  /** A client. Of a client with a schema, the raw client is provided. */
  readonly client: Client | { readonly raw: Client }
  readonly children: ReactNode
}

/** Provides a client to every component inside it. The caller creates and closes the client. */
export function WeftProvider({ client, children }: WeftProviderProps) {
  return <WeftContext value={'raw' in client ? client.raw : client}>{children}</WeftContext>
}

/** Returns the client of the nearest provider. Throws outside a provider. */
export function useWeft(): Client {
  const client = useContext(WeftContext)
  if (client === undefined) throw new Error('useWeft was called outside a <WeftProvider>')
  return client
}

/** Holds the client of the nearest provider; undefined outside a provider. */
export const WeftContext = createContext<Client | undefined>(undefined)
