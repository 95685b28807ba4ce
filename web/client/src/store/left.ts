import type { Mutation, Receipt } from '../graph/mutation.ts'
import { result } from './database.ts'
import { randomNumber } from './local-ids.ts'
import type { Rows } from './rows.ts'

/** What earlier visits and other tabs left to be sent. */
export interface Left {
  /** Chosen once per profile. */
  readonly randomizer: number
  /** The store that real ids are from, once known. */
  readonly store: string | undefined
  /** The outbox, oldest first. */
  readonly mutations: readonly Mutation[]
  /** Which ids became which; when everything is loaded, with the records that were seen. */
  readonly seen: Receipt
}

/** Which ids became which when writes were settled. */
export type Pairs = Pick<Receipt, 'conceptIds' | 'connectionIds'>

export type Three = [outbox: IDBObjectStore, pair: IDBObjectStore, counter: IDBObjectStore]

/** Reads what was left. */
export async function readLeft(rows: Rows, ...[outbox, pair, counter]: Three): Promise<Left> {
  const [mutations, pairs, store, known] = await Promise.all([
    rows.all(outbox),
    result<Pairs[]>(pair.getAll()),
    result<string | undefined>(counter.get('store')),
    result<number | undefined>(counter.get('randomizer')),
  ])
  const randomizer = known ?? randomNumber()
  counter.put(randomizer, 'randomizer')
  const seen = {
    concepts: [],
    connections: [],
    conceptIds: pairs.flatMap((row) => row.conceptIds),
    connectionIds: pairs.flatMap((row) => row.connectionIds),
  }
  return { randomizer, store, mutations, seen }
}
