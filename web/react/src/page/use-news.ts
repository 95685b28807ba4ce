import { useContext, useEffect, useRef } from 'react'
import { Weft } from '../provider.tsx'
import type { View } from './view.ts'

/** Asks again when the client of the provider hears that what is shown may not be what it was. */
export function useNews(
  view: View | undefined,
  refresh: () => Promise<void>,
  id: number | undefined,
): void {
  const client = useContext(Weft)
  const again = useRef(refresh)
  useEffect(() => {
    again.current = refresh
  })
  const ids = JSON.stringify([...new Set([...(id ? [id] : []), ...(view?.originals ?? [])])])
  useEffect(() => {
    if (client === undefined) return
    const heard = () => void again.current()
    const stops = (JSON.parse(ids) as number[]).map((id) => client.hear(id, heard))
    return () => {
      for (const stop of stops) stop()
    }
  }, [client, ids])
}
