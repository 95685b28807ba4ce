import { namesOf } from '../model/names.ts'
import type { ConsoleType } from '../model/types.ts'

/** Returns a type that gets its first records from an import. */
export const emptyType = (name: string): ConsoleType => ({
  id: 0,
  name,
  names: namesOf(name),
  count: 0,
  counted: true,
  kind: 'record',
  mark: { dye: 'u', pattern: '' },
  declared: undefined,
})
