import type { Concept } from '../../src/graph/concept.ts'
import type { Id } from '../../src/graph/id.ts'
import { makeData } from '../data.ts'

/** A question for concepts, with a number that its answer has too. */
export interface Question {
  readonly number: number
  readonly ids: readonly Id[]
}

export interface Answer {
  readonly number: number
  readonly concepts: readonly (Concept | undefined)[]
}

const concepts = new Map(makeData().concepts.map((c) => [c.id, c]))

/** The first message brings the port, whose questions wait until then. */
self.onmessage = ({ ports }) => {
  const [port] = ports
  if (!port) return
  port.onmessage = ({ data: { number, ids } }: MessageEvent<Question>) =>
    port.postMessage({ number, concepts: ids.map((id) => concepts.get(id)) } satisfies Answer)
}
