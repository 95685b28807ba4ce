import type { Client } from '../api.ts'
import { internalsOf } from '../internals.ts'
import { isShared } from '../model/concept.ts'
import { WeftError } from '../model/error.ts'
import { withPrefix } from '../model/type.ts'
import type { Field, Input, Messages } from './field.ts'

/** Reports whether a concept of a type already has a value. */
export type IsTaken = (type: string, value: string) => boolean | Promise<boolean>

/** Validates an input against `isUnique`. Rejects with the error of `isTaken`. */
export async function validateUnique(
  field: Field,
  { value }: Input,
  isTaken: IsTaken,
): Promise<Messages> {
  if (!field.isUnique || !field.conceptType || !value) return {}
  const isUsed = await isTaken(withPrefix(field.conceptType), value)
  return isUsed ? { unique: 'Value is not unique' } : {}
}

/**
 * Path of the check. The server searches the records of all users, and reveals only whether one of them has the value.
 */
const path = '/api/v1/value-taken'

/**
 * Creates a check for `isUnique`. It searches the graph of the page and, on the server, the records of all users, even
 * those that this user may not read. The check rejects if the server does not respond, or if it refuses because there
 * were too many checks. A value of more than 255 UTF-16 units is searched among readable records only.
 */
export function createTakenCheck(client: Client): IsTaken {
  const { http } = internalsOf(client)
  return async (type, value) => {
    if (client.find(type, value)) return true
    if (!isShared(value)) return hasReadableRecord(client, type, value)
    const response = await http.post(path, { type, value })
    const { taken } = response as { readonly taken?: unknown }
    if (typeof taken === 'boolean') return taken
    throw new WeftError('internal', 'the response does not say whether the value is taken')
  }
}

/** Reports whether a long value is in a record that the user may read. */
async function hasReadableRecord(client: Client, type: string, value: string): Promise<boolean> {
  const filters = [{ name: 'value', search: value }]
  const live = client.query<{ id: number }>({ type, filters, logic: 'value' })
  await live.refresh()
  const state = live.get()
  if (state.status === 'error') throw state.error
  if (state.status === 'loading' || !state.complete)
    throw new WeftError('unavailable', 'the server did not confirm whether the value is taken')
  return state.data.some(({ id }) => client.concept(id)?.value === value)
}
