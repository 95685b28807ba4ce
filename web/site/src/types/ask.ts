import { type Concept, type Id, WeftError } from '@weft/client'
import { ask, type Found, textOf, weft } from '../browse.ts'
import { fixed, known } from './known.ts'

/** A type, and the one it belongs to. */
export interface Type {
  readonly id: Id
  readonly name: string
  /** The type named by its prefix; that of the root is itself. */
  readonly category: Id
  /** The word it ends in. */
  readonly word: string
}

/** The fixed concepts, and those of the known types that this store has, with all they are made of. */
export async function typesOf(more: readonly string[]): Promise<readonly Type[]> {
  const names = new Set([...known, ...more].flatMap(chain))
  const ids = await idsOf([...names])
  const concepts = await Promise.all([...fixed, ...ids].map((id) => weft.get(id)))
  const types = await Promise.all(concepts.flatMap((concept) => (concept ? [typeOf(concept)] : [])))
  return [...new Map(types.map((type) => [type.id, type])).values()]
}

async function typeOf({ id, value, category, type }: Concept): Promise<Type> {
  const word = await weft.get(type)
  return { id, name: value, category, word: word?.value ?? '' }
}

/** `the_page_slug` and `the_page`: the types a name goes through. */
const chain = (name: string): readonly string[] => {
  const last = name.lastIndexOf('_')
  return last <= 'the'.length ? [name] : [...chain(name.slice(0, last)), name]
}

/** The ids of the types that are there. */
async function idsOf(names: readonly string[]): Promise<readonly Id[]> {
  const answer = await fetch('/api/get_type_concept_by_character_bulk', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(names),
  }).catch((cause: unknown) => {
    throw new WeftError('unavailable', 'the server does not answer', cause)
  })
  const json: unknown = await answer.json()
  if (!answer.ok) throw new WeftError('invalid', (json as { message: string }).message)
  return json as readonly Id[]
}

/** How many instances a type has that the reader may see, and the newest few. */
export interface Instances {
  readonly total: number
  readonly samples: readonly Sample[]
}

interface Sample {
  readonly id: Id
  /** The text of a value, or what a record holds, in short. */
  readonly says: string
}

export async function instancesOf(name: string): Promise<Instances> {
  const { total } = await ask({ type: name, pageSize: 1 })
  const { found } = await ask({ type: name, pageSize: 10, selectors: ['self'] })
  return { total, samples: found.map((at) => ({ id: at.id, says: said(at) })) }
}

/** The longest sample that is shown whole. */
const most = 160

function said(at: Found): string {
  const text = textOf(at) || JSON.stringify(weft.record(at.id) ?? {})
  if (text === '{}') return 'a record'
  return text.length > most ? `${text.slice(0, most)}…` : text
}
