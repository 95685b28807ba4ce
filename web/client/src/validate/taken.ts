import type { Client } from '../api.ts'
import { WeftError } from '../graph/error.ts'
import type { Taken } from './field.ts'

/** How many values may be equal but for the case of letters and the writing of numbers. */
const pageSize = 100

/** Asks the graph, here and on the server, whether a concept of a type has a value. */
export function takenIn(client: Pick<Client, 'find' | 'concept' | 'query'>): Taken {
  return async (type, value) => {
    if (client.find(type, value)) return true
    const filters = [{ name: 'value', search: value }]
    const live = client.query<{ id: number }>({ type, filters, logic: 'value', pageSize })
    await live.refresh()
    const state = live.get()
    if (state.status === 'error') throw state.error
    if (state.status === 'loading' || !state.complete)
      throw new WeftError('unavailable', 'nobody can say whether the value is taken')
    return state.data.some(({ id }) => client.concept(id)?.value === value)
  }
}
