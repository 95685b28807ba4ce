/**
 * Writes records as builders of other clients do: a composition, and for each field a value, or something that
 * is there already, at the end of a connection named for it. Resolves with the ids, in order.
 */
export async function write(url: string, ...records: readonly RecordCase[]): Promise<number[]> {
  const concepts: object[] = []
  const connections: object[] = []
  const concept = (type: string, value: string, isComposition: boolean) => {
    const id = --ghost
    const named = { typeCharacter: type, categoryId: instance }
    concepts.push({ id, ghostId: id, ...named, characterValue: value, isComposition })
    return id
  }
  const heads = records.map(({ type, fields, id: known }) => {
    const head = known ?? concept(type, '', true)
    for (const [relation, value] of fields) {
      const leaf = relation.replace(`${type}_`, 'the_')
      const to = typeof value === 'number' ? value : concept(leaf, value, false)
      const id = --ghost
      const ends = { ofTheConceptId: head, toTheConceptId: to }
      connections.push({ id, ghostId: id, ...ends, typeCharacter: relation, orderId: 1000 })
    }
    return head
  })
  const answer = await fetch(`${url}/api/v1/local-concepts`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ concepts, connections }),
  })
  if (!answer.ok) throw new Error(await answer.text())
  const made = (await answer.json()) as { concepts: { id: number; ghostId: number }[] }
  const real = new Map(made.concepts.map(({ id, ghostId }) => [ghostId, id]))
  return heads.map((head) => real.get(head) ?? head)
}

export interface RecordCase {
  readonly type: string
  /** Of one that is there already and gets more fields. */
  readonly id?: number
  /** Names of connections, with a text or an id. A name may stand there more than once. */
  readonly fields: readonly (readonly [relation: string, value: string | number])[]
}

/** One ghost is one record, whatever is written when. */
let ghost = -100

/** The category of what is no type. */
const instance = 4
