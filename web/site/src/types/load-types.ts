import { type Concept, type Id, WeftError } from '@weft/client'
import { fetchQuery, type ResultRecord, textOf, weft } from '../public-data.ts'
import { fixedConceptIds, knownTypeNames } from './known-types.ts'

/** A type and its place in the tree of types. */
export interface Type {
  readonly id: Id
  readonly name: string
  /** The id of the type whose name is the prefix of this name: `the_page` for `the_page_slug`. The root is its own category. */
  readonly category: Id
  /** The last word of the name. */
  readonly word: string
}

/** Loads the fixed concepts, and all known and additional types that the store has, with their prefixes. */
export async function loadTypes(additional: readonly string[]): Promise<readonly Type[]> {
  const names = new Set([...knownTypeNames, ...additional].flatMap(nameChain))
  const ids = await typeIds([...names])
  const concepts = await Promise.all([...fixedConceptIds, ...ids].map((id) => weft.get(id)))
  const types = await Promise.all(concepts.flatMap((concept) => (concept ? [typeOf(concept)] : [])))
  return [...new Map(types.map((type) => [type.id, type])).values()]
}

async function typeOf({ id, value, category, type }: Concept): Promise<Type> {
  const word = await weft.get(type)
  return { id, name: value, category, word: word?.value ?? '' }
}

/** Returns the prefixes of a type name and the name itself: `the_page` and `the_page_slug` for `the_page_slug`. */
const nameChain = (name: string): readonly string[] => {
  const last = name.lastIndexOf('_')
  return last <= 'the'.length ? [name] : [...nameChain(name.slice(0, last)), name]
}

/** Returns the ids of those types that exist. */
async function typeIds(names: readonly string[]): Promise<readonly Id[]> {
  const response = await fetch('/api/get_type_concept_by_character_bulk', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(names),
  }).catch((cause: unknown) => {
    throw new WeftError('unavailable', 'the server cannot be reached', cause)
  })
  const json: unknown = await response.json()
  if (!response.ok) throw new WeftError('invalid', (json as { message: string }).message)
  return json as readonly Id[]
}

/** The number of instances that the reader may see, and the newest ten. */
export interface Instances {
  readonly total: number
  readonly samples: readonly Sample[]
}

interface Sample {
  readonly id: Id
  /** The text of a value, or the start of a record as JSON. */
  readonly text: string
}

/** Loads the instances of a type. Rejects with a WeftError. */
export async function loadInstances(typeName: string): Promise<Instances> {
  const { total } = await fetchQuery({ type: typeName, pageSize: 1 })
  const { records } = await fetchQuery({ type: typeName, pageSize: 10, selectors: ['self'] })
  return { total, samples: records.map((record) => ({ id: record.id, text: sampleText(record) })) }
}

const maxSampleLength = 160

function sampleText(record: ResultRecord): string {
  const text = textOf(record) || JSON.stringify(weft.record(record.id) ?? {})
  if (text === '{}') return 'a record'
  return text.length > maxSampleLength ? `${text.slice(0, maxSampleLength)}…` : text
}
