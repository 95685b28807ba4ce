import type { Client } from '@weft/client'
import { type Cache, createCache, textOf } from './cache.ts'
import type { View } from './view.ts'
import { viewOf } from './view-of.ts'
import { memberOf, readWidget } from './widget.ts'

/** `fixed` is exactly the one asked for, `latest` what is published of it, `recent` what was saved last. */
export type Version = 'fixed' | 'latest' | 'recent'

/** The stored widgets as a client's user may see them, under `id version`. */
export function widgetsOf(client: Client): Cache<View> {
  let known = caches.get(client)
  if (known === undefined) {
    known = { user: client.user, cache: createWidgets(client) }
    caches.set(client, known)
  }
  if (known.user !== client.user) {
    known.user = client.user
    known.cache.clear()
  }
  return known.cache
}

const caches = new WeakMap<Client, { user: string | undefined; readonly cache: Cache<View> }>()

const createWidgets = (client: Client): Cache<View> =>
  createCache(
    async (key) => {
      const [id, version] = key.split(' ')
      return textOf(await client.fetch(`/api/v1/widgets?id=${id}&version=${version}`))
    },
    async (text, shown) => {
      const json = memberOf(JSON.parse(text), 'widget')
      if (typeof json !== 'object' || json === null) return undefined
      return viewOf(readWidget(json), client.url, shown)
    },
  )
