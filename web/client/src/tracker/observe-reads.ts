import type { Client } from '../api.ts'
import { internalsOf } from '../internals.ts'
import type { Concept } from '../model/concept.ts'
import type { Id } from '../model/id.ts'
import type { UsageCounts } from './usage-counts.ts'

/**
 * Counts the reads of a client until the returned function is called. Read methods are wrapped only for that time, so
 * reading without a tracker costs nothing extra.
 *
 * @param onClose called when the client closes
 */
export function observeReads(client: Client, usage: UsageCounts, onClose: () => void): () => void {
  const internals = internalsOf(client)
  const countConcept = (c: unknown) => usage.add('concepts', (c as Concept).id)
  const countRecord = (_: unknown, id: unknown) => usage.addRecord(id as Id)
  const observers = {
    concept: countConcept,
    find: countConcept,
    get: countConcept,
    record: countRecord,
    load: countRecord,
    close: onClose,
  }
  const methods = client as unknown as Record<string, (a: unknown, b: unknown) => unknown>
  let isCounting = true

  const restores = Object.entries(observers).map(([name, observer]) => {
    const original = methods[name] as (a: unknown, b: unknown) => unknown
    const wrapper = (a: unknown, b: unknown) => {
      const result = original(a, b)
      const observe = (result: unknown) => {
        if (isCounting && (result || observer === onClose)) observer(result, a)
        return result
      }
      return result instanceof Promise ? result.then(observe) : observe(result)
    }
    methods[name] = wrapper
    return () => {
      // If other code has replaced the wrapper by its own, the wrapper stays and no longer counts.
      if (methods[name] === wrapper) methods[name] = original
    }
  })
  internals.onUse = (concepts, connections = []) => {
    for (const id of concepts) usage.add('concepts', id)
    for (const id of connections) usage.add('connections', id)
  }

  return () => {
    isCounting = false
    internals.onUse = undefined
    for (const restore of restores) restore()
  }
}
