import { useContext, useEffect, useRef } from 'react'
import { WeftContext } from '../provider.tsx'
import type { View } from '../stored/view.ts'

/**
 * Calls `refetch` when the client of the provider receives a change of the record `id` or of any widget in the view.
 * Does nothing outside a provider.
 */
export function useRefetchOnChange(
  view: View | undefined,
  refetch: () => Promise<void>,
  id: number | undefined,
): void {
  const client = useContext(WeftContext)
  const latestRefetch = useRef(refetch)
  useEffect(() => {
    latestRefetch.current = refetch
  })
  const idsKey = JSON.stringify([...new Set([...(id ? [id] : []), ...(view?.originalIds ?? [])])])
  useEffect(() => {
    if (client === undefined) return
    const onChange = () => void latestRefetch.current()
    const unsubscribes = (JSON.parse(idsKey) as number[]).map((id) =>
      client.onRemoteChange(id, onChange),
    )
    return () => {
      for (const unsubscribe of unsubscribes) unsubscribe()
    }
  }, [client, idsKey])
}
