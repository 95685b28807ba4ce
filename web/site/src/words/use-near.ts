import type { Id } from '@weft/client'
import { type Asked, useAsked } from '../use-asked.ts'
import { type Near, nearOf } from './ask.ts'

/** What a meaning is related to. */
export const useNear = (id: Id): Asked<Near> => useAsked(`near ${id}`, () => nearOf(id))
