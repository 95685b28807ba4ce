import type { Id } from '@weft/client'
import { orThrow, toFreeschemaError } from '../errors.ts'
import { DATAID } from '../model/constants.ts'
import { formatAnswer } from '../schema-query.ts'
import { currentClient, currentInternals } from '../start.ts'

/*
 * Requests for stored widgets. An answer has the ids of all connections of a widget and its children; the records are
 * fetched and formatted as DATAID rows.
 *
 *   fixed    exactly this widget
 *   latest   the published version of an original
 *   recent   the last saved version of an original
 */

export type WidgetVersion = 'fixed' | 'latest' | 'recent'

const paths: Record<WidgetVersion, string> = {
  fixed: '/api/get-widget',
  latest: '/api/get-latest-widget',
  recent: '/api/get-recent-widget',
}

/** The rows of a widget and its children, and the id of the version that the server chose. */
export interface WidgetRows {
  readonly mainId: Id
  readonly rows: readonly any[]
}

/** Requests under way, by path and id: concurrent calls share one. */
const requests = new Map<string, Promise<WidgetRows>>()

export function fetchWidget(id: Id, version: WidgetVersion): Promise<WidgetRows> {
  const key = `${version} ${id}`
  const running = requests.get(key)
  if (running) return running
  const request = fetchRows(id, version).finally(() => requests.delete(key))
  requests.set(key, request)
  return request
}

/** Fetches a version of a widget. A version that is not fixed is fetched from an additional server, if one responds. */
export const readVersion = (path: string, version: WidgetVersion): Promise<Response> =>
  version === 'fixed'
    ? currentClient().fetch(path)
    : currentInternals().http.readPath(path, isWidget)

/**
 * Reports whether the JSON of a response contains a widget. The responses here and in the renderer have different
 * forms.
 */
const isWidget = (json: any): boolean => Boolean(json?.widget ?? json?.linkers?.length)

async function fetchRows(id: Id, version: WidgetVersion): Promise<WidgetRows> {
  const { graph, fetcher } = currentInternals()
  const path = `${paths[version]}?id=${graph.real(id)}`
  const response = await orThrow(readVersion(path, version))
  if (!response.ok) throw toFreeschemaError(new Error(response.statusText || `${response.status}`))
  const { linkers = [], reverse = [], mainCompositionIds = [], mainId = id } = await response.json()
  await orThrow(fetcher().then((f) => f.fetchConnections(linkers)))
  await orThrow(fetcher().then((f) => f.fetchConcepts(mainCompositionIds)))
  const answer = { linkers, reverse, conceptIds: [], compositionIds: mainCompositionIds }
  const rows = formatAnswer({ ...answer, countInfos: [], order: 'DESC' }, DATAID)
  return { mainId: mainId || id, rows }
}
