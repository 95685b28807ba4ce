/**
 * Writes records the way other clients do: a composition and, for each field, a connection to a new value or to an
 * existing record. Resolves with the ids of the records, in order.
 */
export async function write(url: string, ...records: readonly RecordCase[]): Promise<number[]> {
  const concepts: object[] = []
  const connections: object[] = []
  const addConcept = (type: string, value: string, isComposition: boolean) => {
    const id = --lastLocalId
    const typeFields = { typeCharacter: type, categoryId: instance }
    concepts.push({ id, ghostId: id, ...typeFields, characterValue: value, isComposition })
    return id
  }
  const mainIds = records.map(({ type, fields, id: existingId }) => {
    const mainId = existingId ?? addConcept(type, '', true)
    for (const [relation, value] of fields) {
      const valueType = relation.replace(`${type}_`, 'the_')
      const to = typeof value === 'number' ? value : addConcept(valueType, value, false)
      const id = --lastLocalId
      const ends = { ofTheConceptId: mainId, toTheConceptId: to }
      connections.push({ id, ghostId: id, ...ends, typeCharacter: relation, orderId: 1000 })
    }
    return mainId
  })
  const response = await fetch(`${url}/api/v1/local-concepts`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ concepts, connections }),
  })
  if (!response.ok) throw new Error(await response.text())
  const written = (await response.json()) as { concepts: { id: number; ghostId: number }[] }
  const realIds = new Map(written.concepts.map(({ id, ghostId }) => [ghostId, id]))
  return mainIds.map((mainId) => realIds.get(mainId) ?? mainId)
}

export interface RecordCase {
  readonly type: string
  /** Id of an existing record to which fields are added. Default: a new record. */
  readonly id?: number
  /** Types of connections, each with a new value or the id of an existing record. */
  readonly fields: readonly (readonly [relation: string, value: string | number])[]
}

/**
 * The last local id that was used. Local ids are unique across all calls, because the server treats equal ids as the
 * same record.
 */
let lastLocalId = -100

/** The category of a concept that is not a type. */
const instance = 4
