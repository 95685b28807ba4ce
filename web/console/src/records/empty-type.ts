import { namesOf } from '../model/names.ts'
import type { ConsoleType } from '../model/types.ts'

/** Returns the type for a name that the store does not have yet, for example to import its first records. */
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
