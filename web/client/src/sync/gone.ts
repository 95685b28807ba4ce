import type { WeftError } from '../graph/error.ts'
import { isReal } from '../graph/id.ts'
import type { Mutation } from '../graph/mutation.ts'
import type { Names } from '../wire/sync.ts'
import { others } from './needs.ts'

/**
 * What a refusal says to a person. The server names the part of the request that leads nowhere, which nobody who wrote a
 * record has seen.
 */
export function refusalFor(
  { kind, message }: Pick<WeftError, 'kind' | 'message'>,
  writes: readonly Mutation[],
  names: Names,
): NonNullable<Mutation['failed']> {
  const ids = writes.flatMap((m) => others({ ...m, removeConnections: [] }, names))
  const about = new Set(ids.filter(isReal)).size
  if (kind !== 'notFound' || about === 0) return { kind, message }
  const which = about === 1 ? 'the record' : 'a record that this changes or links'
  return { kind, message: `${which} is not there any more: it was removed elsewhere` }
}
