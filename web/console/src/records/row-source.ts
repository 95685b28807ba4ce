import type { Client, LiveQuery, Query, QueryState } from '@weft/client'
import { errorText } from '../model/request.ts'
import { type Row, readRow } from './cell.ts'

/** The rows of one request. */
export const blockRows = 100
/** The number of blocks whose rows stay in memory after they left the screen. */
const keptBlocks = 40

/** The number of rows of a grid, and the state of loading them. */
export interface RowsState {
  readonly status: 'loading' | 'ready' | 'error'
  /** The number of rows; 0 while unknown. */
  readonly total: number
  /** True if there are more rows than `total`, because counting them all would cost too much. */
  readonly isAtLeast: boolean
  /** The message of the last failure. */
  readonly error: string | undefined
}

interface Block {
  readonly live: LiveQuery<unknown>
  readonly stop: (() => void) | undefined
  readonly rows: readonly Row[]
  /** The state from which `rows` were read. */
  readonly of: QueryState<unknown> | undefined
}

/*
 * The rows of a query, in blocks of 100. The blocks on the screen are live queries: they show changes in this tab immediately,
 * and changes by others when the server announces them. Blocks that left the screen keep their last rows.
 *
 * Loading a block costs one request. Its time grows with the position of the block only for orders that have no index.
 */
export class RowSource {
  readonly #client: Client
  readonly #query: Query
  readonly #blocks = new Map<number, Block>()
  readonly #listeners = new Set<() => void>()
  #state: RowsState = { status: 'loading', total: 0, isAtLeast: false, error: undefined }
  #version = 0

  constructor(client: Client, query: Query) {
    this.#client = client
    this.#query = query
  }

  readonly get = (): RowsState => this.#state

  /** A number that changes with every change of the rows. */
  readonly version = (): number => this.#version

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Returns a row by its index, or undefined while it is not loaded. */
  row(index: number): Row | undefined {
    const block = this.#blocks.get(Math.floor(index / blockRows))
    return block?.rows[index % blockRows]
  }

  /** Returns the index and the current data of a loaded record. */
  find(id: number): { readonly index: number; readonly row: Row } | undefined {
    const ids = [id, this.#client.realId(id)]
    for (const [number, { rows }] of this.#blocks) {
      const at = rows.findIndex((row) => ids.includes(row.id))
      const row = rows[at]
      if (row) return { index: number * blockRows + at, row }
    }
    return undefined
  }

  /** Makes the blocks with the rows `first` to `last` live, both included, and stops the other blocks. */
  show(first: number, last: number): void {
    const from = Math.floor(Math.max(0, first) / blockRows)
    const to = Math.floor(Math.max(0, last) / blockRows)
    for (const [number, block] of this.#blocks)
      if ((number < from || number > to) && block.stop) this.#pause(number, block)
    for (let number = from; number <= to; number++) this.#start(number)
    this.#evict(from, to)
  }

  /** Stops all requests. */
  close(): void {
    for (const [number, block] of this.#blocks) this.#pause(number, block)
  }

  /** Loads rows that are not on the screen, for copying: resolves with the rows from `first` to `last`. */
  async read(first: number, last: number): Promise<readonly Row[]> {
    const rows: Row[] = []
    for (let number = Math.floor(first / blockRows); number * blockRows <= last; number++) {
      const block = this.#blocks.get(number)
      rows.push(...(block && block.rows.length > 0 ? block.rows : await this.#readBlock(number)))
    }
    const start = Math.floor(first / blockRows) * blockRows
    return rows.slice(first - start, last - start + 1)
  }

  #readBlock(number: number): Promise<readonly Row[]> {
    const live = this.#liveOf(number)
    return new Promise((resolve, reject) => {
      const settle = () => {
        const state = live.get()
        if (state.status === 'loading') return
        queueMicrotask(() => stop())
        if (state.status === 'ready') resolve(state.data.map(readRow))
        else reject(state.error)
      }
      const stop = live.subscribe(settle)
      settle()
    })
  }

  #start(number: number): void {
    const known = this.#blocks.get(number)
    if (known?.stop) return
    const live = known?.live ?? this.#liveOf(number)
    const stop = live.subscribe(() => this.#update(number))
    this.#blocks.set(number, { live, stop, rows: known?.rows ?? [], of: known?.of })
    this.#update(number)
  }

  #liveOf(number: number): LiveQuery<unknown> {
    const query = { ...this.#query, page: number + 1, pageSize: blockRows }
    return this.#client.query(query, { format: 'DATAID' })
  }

  #pause(number: number, block: Block): void {
    block.stop?.()
    if (block.rows.length === 0) this.#blocks.delete(number)
    else this.#blocks.set(number, { ...block, stop: undefined })
  }

  /** Evicts the blocks that are farthest from the screen, down to `keptBlocks`. */
  #evict(from: number, to: number): void {
    if (this.#blocks.size <= keptBlocks) return
    const distance = (number: number) => Math.max(from - number, number - to, 0)
    const byDistance = [...this.#blocks.keys()].sort((a, b) => distance(b) - distance(a))
    for (const number of byDistance.slice(0, this.#blocks.size - keptBlocks))
      if (distance(number) > 0) this.#blocks.delete(number)
  }

  #update(number: number): void {
    const block = this.#blocks.get(number)
    const state = block?.live.get()
    if (!block || !state || state === block.of || state.status === 'loading') return
    if (state.status === 'ready') {
      this.#blocks.set(number, { ...block, rows: state.data.map(readRow), of: state })
      this.#state = {
        status: 'ready',
        total: state.total ?? state.data.length,
        isAtLeast: state.atLeast ?? false,
        error: undefined,
      }
    } else this.#state = { ...this.#state, status: 'error', error: errorText(state.error) }
    this.#version++
    for (const listener of this.#listeners) listener()
  }
}
