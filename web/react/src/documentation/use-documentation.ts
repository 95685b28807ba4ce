import type { Client } from '@weft/client'
import { useCallback, useContext, useEffect, useRef, useState } from 'react'
import { textOf } from '../page/cache.ts'
import { Weft } from '../provider.tsx'
import { documentationWidget } from './configured.ts'
import { type Entry, readEntries } from './entry.ts'

/** How far documentation has got. `shown` means that a widget of the operator's shows it. */
export type Documentation =
  | { readonly status: 'loading' }
  | { readonly status: 'ready'; readonly entries: readonly Entry[] }
  | { readonly status: 'shown'; readonly by: number }
  | { readonly status: 'error'; readonly error: Error }

/** What is written about a widget, now and after every change that the client of the provider hears of. */
export function useDocumentation(widget: number, url: string): [Documentation, () => void] {
  const client = useContext(Weft)
  const [state, setState] = useState<Documentation>(loading)
  const latest = useRef(0)
  const ask = useCallback(async () => {
    const turn = ++latest.current
    const found = await askFor(widget, url, client)
    if (turn === latest.current) setState((shown) => (keeps(shown, found) ? shown : found))
  }, [widget, url, client])
  useEffect(() => {
    void ask()
    window.addEventListener('online', ask)
    return () => {
      latest.current++
      window.removeEventListener('online', ask)
    }
  }, [ask])
  const ids = state.status === 'ready' ? state.entries.map(({ id }) => id) : []
  const said = JSON.stringify([widget, ...ids])
  useEffect(() => {
    const stops = (JSON.parse(said) as number[]).map((id) => client?.hear(id, () => void ask()))
    return () => {
      for (const stop of stops) stop?.()
    }
  }, [client, said, ask])
  const again = () => {
    setState(loading)
    void ask()
  }
  return [state, again]
}

const loading = { status: 'loading' } as const

/** What is shown stays when it could not be asked for again. */
const keeps = (shown: Documentation, found: Documentation): boolean =>
  found.status === 'error' && (shown.status === 'ready' || shown.status === 'shown')

async function askFor(
  widget: number,
  url: string,
  client: Client | undefined,
): Promise<Documentation> {
  try {
    const by = client && (await documentationWidget(url))
    if (by !== undefined) return { status: 'shown', by }
    const path = `/api/v1/widgets/documentation?id=${widget}`
    const text = await textOf(await (client ? client.fetch(path) : fetch(new URL(path, url))))
    return { status: 'ready', entries: text === undefined ? [] : readEntries(JSON.parse(text)) }
  } catch (e) {
    return { status: 'error', error: e instanceof Error ? e : new Error(String(e)) }
  }
}
