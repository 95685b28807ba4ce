import type { Id, LiveQuery, QueryState } from '@weft/client'
import { toFreeschemaError } from '../errors.ts'
import type { RawAnswer } from '../schema-query.ts'
import { currentClient, currentInternals } from '../start.ts'
import type { Source } from './observer.ts'

/** A converted state of a live query, and the values from which it was converted. */
interface Shaped {
  readonly rows: unknown
  readonly total: unknown
  /**
   * The ids in the rows as text; a local id is replaced by its real id if there is one. Undefined if all ids are real.
   */
  readonly localIds: string | undefined
  readonly data: any
}

/**
 * Creates a source of a live query. `shape` converts the state of the query. It is called again when the rows changed,
 * or when a record in them got its real id.
 */
export function querySource<T>(live: LiveQuery<T>, shape: (state: QueryState<T>) => any): Source {
  let shaped: Shaped | undefined
  let loaded: Promise<void> | undefined
  return {
    start(changed) {
      const stops = [
        live.subscribe(changed),
        currentClient().sync.subscribe(() => shaped?.localIds !== undefined && changed()),
      ]
      return () => {
        for (const stop of stops) stop()
      }
    },
    load: () => {
      loaded ??= firstState(live)
      return loaded
    },
    refresh: () => live.refresh(),
    read() {
      const state = live.get()
      if (state.status === 'error') throw toFreeschemaError(state.error, '/api/freeschema-query')
      const { rows, total } =
        state.status === 'ready' ? { rows: state.data, total: state.total } : noRows
      const isSame = shaped !== undefined && shaped.rows === rows && shaped.total === total
      if (isSame && (shaped?.localIds === undefined || shaped.localIds === localIdsIn(rows)))
        return shaped?.data
      shaped = { rows, total, localIds: localIdsIn(rows), data: shape(state) }
      return shaped.data
    },
  }
}

const noRows = { rows: undefined, total: 0 }

/** Returns the ids in rows as text, if some of them are local. */
function localIdsIn(rows: readonly unknown[] | undefined): string | undefined {
  const { graph } = currentInternals()
  const ids = (rows ?? []).flatMap((row) =>
    typeof row === 'number'
      ? graph.real(row)
      : (row as RawAnswer).conceptIds.map((id) => graph.real(id)),
  )
  return ids.some((id) => id < 0) ? ids.join() : undefined
}

/** Waits for the first answer of the server, or of this page while the server is unreachable. */
const firstState = <T>(live: LiveQuery<T>): Promise<void> => live.refresh()

interface RecordResult {
  /** Fetches the result. */
  readonly load: () => Promise<any>
  /** Computes the result again after a change of a record on which it depends. */
  readonly reload: () => any
  /** Returns the records on which the result depends. */
  readonly ids: () => readonly Id[]
}

/**
 * Creates a source of a result that depends on some records. The result is computed again after each change of one of
 * them.
 */
export function recordSource({ load, reload, ids }: RecordResult): Source {
  let data: any
  let failure: unknown
  let loading: Promise<void> | undefined
  const compute = async (work: () => any) => {
    try {
      data = await work()
      failure = undefined
    } catch (e) {
      failure = e
      throw e
    }
  }
  return {
    start(changed) {
      const stops = new Map<Id, () => void>()
      const watchAll = () => {
        for (const id of ids()) if (!stops.has(id)) stops.set(id, watchRecord(id, update))
      }
      const update = () => {
        void compute(reload)
          .catch(() => {})
          .then(watchAll)
          .then(changed)
      }
      watchAll()
      loading ??= compute(load)
      loading.then(watchAll, watchAll)
      return () => {
        for (const stop of stops.values()) stop()
      }
    },
    load: () => {
      loading ??= compute(load)
      return loading
    },
    refresh: () => compute(load),
    read() {
      if (failure) throw toFreeschemaError(failure)
      return data
    },
  }
}

/** Calls back after each change of a record, by this page or by another client. */
const watchRecord = (id: Id, changed: () => void): (() => void) =>
  currentClient().watch(id, changed)
