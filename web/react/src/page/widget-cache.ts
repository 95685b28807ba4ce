import type { Client } from '@weft/client'
import { internalsOf } from '@weft/client/internal'
import { Cache, textOf } from '../stored/cache.ts'
import { memberOf } from '../stored/json.ts'
import type { View } from '../stored/view.ts'
import { readWidgetTree } from '../stored/widget-tree.ts'
import { loadView } from './load-view.ts'

/**
 * The version of a widget: `fixed` is exactly the widget with the given id, `latest` its published version, and
 * `recent` its last saved version.
 */
export type WidgetVersion = 'fixed' | 'latest' | 'recent'

/**
 * Returns the cache of stored widgets of a client, with keys `id version`. The cache is cleared when another user signs
 * in, because the server may show a widget to one user and not to another.
 */
export function widgetCacheOf(client: Client): Cache<View> {
  let entry = caches.get(client)
  if (entry === undefined) {
    entry = { user: client.user, cache: createWidgetCache(client) }
    caches.set(client, entry)
  }
  if (entry.user !== client.user) {
    entry.user = client.user
    entry.cache.clear()
  }
  return entry.cache
}

const caches = new WeakMap<Client, { user: string | undefined; readonly cache: Cache<View> }>()

const hasWidget = (json: unknown): boolean => Boolean(memberOf(json, 'widget'))

const createWidgetCache = (client: Client): Cache<View> =>
  new Cache<View>({
    fetchText: async (key) => {
      const [id, version] = key.split(' ')
      const path = `/api/v1/widgets?id=${id}&version=${version}`
      const { http } = internalsOf(client)
      return textOf(
        await (version === 'fixed' ? client.fetch(path) : http.readPath(path, hasWidget)),
      )
    },
    parse: async (text, isShown) => {
      const json = memberOf(JSON.parse(text), 'widget')
      if (typeof json !== 'object' || json === null) return undefined
      return loadView(readWidgetTree(json), client.url, isShown)
    },
  })
