import type { Concept } from '../../src/model/concept.ts'
import type { Id } from '../../src/model/id.ts'
import { makeData } from '../data.ts'

/** A request for concepts. Its response has the same number. */
export interface ReadRequest {
  readonly number: number
  readonly ids: readonly Id[]
}

export interface ReadResponse {
  readonly number: number
  readonly concepts: readonly (Concept | undefined)[]
}

const concepts = new Map(makeData().concepts.map((c) => [c.id, c]))

/** The first message contains the port. Requests queue in the port until then. */
self.onmessage = ({ ports }) => {
  const [port] = ports
  if (!port) return
  port.onmessage = ({ data: { number, ids } }: MessageEvent<ReadRequest>) =>
    port.postMessage({ number, concepts: ids.map((id) => concepts.get(id)) } satisfies ReadResponse)
}
