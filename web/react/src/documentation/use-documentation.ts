import type { Client } from '@weft/client'
import { useCallback, useContext, useEffect, useRef, useState } from 'react'
import { WeftContext } from '../provider.tsx'
import { textOf } from '../stored/cache.ts'
import { memberOf } from '../stored/json.ts'
import { type Entry, readEntries } from './entry.ts'

/**
 * The documentation of a widget. With the status `widget`, `id` is the id of the widget that the operator configured to
 * show documentation.
 */
export type Documentation =
  | { readonly status: 'loading' }
  | { readonly status: 'ready'; readonly entries: readonly Entry[] }
  | { readonly status: 'widget'; readonly id: number }
  | { readonly status: 'error'; readonly error: Error }

/**
 * Returns the documentation of a widget and a function that loads it again.
 *
 * Refetches when the browser comes online, and when the client of the provider receives a change of the widget or of an
 * entry. A failed refetch keeps the documentation that is shown.
 */
export function useDocumentation(widget: number, url: string): [Documentation, () => void] {
  const client = useContext(WeftContext)
  const [state, setState] = useState<Documentation>(loading)
  const latestRequest = useRef(0)
  const refetch = useCallback(async () => {
    const request = ++latestRequest.current
    const loaded = await load(widget, url, client)
    if (request === latestRequest.current)
      setState((shown) => (isWorse(loaded, shown) ? shown : loaded))
  }, [widget, url, client])
  useEffect(() => {
    void refetch()
    window.addEventListener('online', refetch)
    return () => {
      latestRequest.current++
      window.removeEventListener('online', refetch)
    }
  }, [refetch])
  const entryIds = state.status === 'ready' ? state.entries.map(({ id }) => id) : []
  const idsKey = JSON.stringify([widget, ...entryIds])
  useEffect(() => {
    const ids = JSON.parse(idsKey) as number[]
    const unsubscribes = ids.map((id) => client?.onRemoteChange(id, () => void refetch()))
    return () => {
      for (const unsubscribe of unsubscribes) unsubscribe?.()
    }
  }, [client, idsKey, refetch])
  const retry = () => {
    setState(loading)
    void refetch()
  }
  return [state, retry]
}

const loading = { status: 'loading' } as const

const isWorse = (loaded: Documentation, shown: Documentation): boolean =>
  loaded.status === 'error' && (shown.status === 'ready' || shown.status === 'widget')

async function load(
  widget: number,
  url: string,
  client: Client | undefined,
): Promise<Documentation> {
  try {
    const id = client && (await documentationWidget(url))
    if (id !== undefined) return { status: 'widget', id }
    const path = `/api/v1/widgets/documentation?id=${widget}`
    const text = await textOf(await (client ? client.fetch(path) : fetch(new URL(path, url))))
    return { status: 'ready', entries: text === undefined ? [] : readEntries(JSON.parse(text)) }
  } catch (e) {
    return { status: 'error', error: e instanceof Error ? e : new Error(String(e)) }
  }
}

/**
 * Returns the id of the widget that the operator configured to show documentation; undefined when there is none.
 * Requests the id once per server, and again only after a failure.
 */
function documentationWidget(url: string): Promise<number | undefined> {
  let id = documentationWidgets.get(url)
  if (id === undefined) {
    id = fetchDocumentationWidget(url)
    id.catch(() => documentationWidgets.delete(url))
    documentationWidgets.set(url, id)
  }
  return id
}

const documentationWidgets = new Map<string, Promise<number | undefined>>()

async function fetchDocumentationWidget(url: string): Promise<number | undefined> {
  const response = await fetch(new URL('/api/v1/config', url))
  const json: unknown = response.ok ? await response.json() : undefined
  const id = memberOf(memberOf(json, 'config'), 'documentationWidget')
  return typeof id === 'number' && id > 0 ? id : undefined
}
