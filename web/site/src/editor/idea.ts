import type { Client, Fields, FieldsInput, FieldValue, Id } from '@weft/client'

/**
 * A concept as this editor keeps it: a record of type `the_idea`. Its links are a part of it and name other
 * ideas by their keys, which are there before the server has given anything an id.
 */
export interface Idea {
  readonly id: Id
  readonly key: string
  readonly name: string
  /** What kind of thing it is; empty for none. */
  readonly kind: string
  readonly links: readonly Link[]
}

export interface Link {
  readonly to: string
  readonly how: string
}

/** Reads a record that anybody may have written. Undefined when it is no idea. */
export function readIdea(id: Id, record: Fields | undefined): Idea | undefined {
  const { key, name, kind, links } = record ?? {}
  if (text(key) === '' || text(name) === '') return undefined
  return { id, key: text(key), name: text(name), kind: text(kind), links: linksOf(links) }
}

const text = (value: FieldValue | undefined): string => (typeof value === 'string' ? value : '')

function linksOf(value: FieldValue | undefined): readonly Link[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : []
  return list.flatMap((link) => {
    const { to, how } = (typeof link === 'object' ? link : {}) as Record<string, FieldValue>
    return typeof to === 'string' && typeof how === 'string' ? [{ to, how }] : []
  })
}

/** Makes an idea, under a key of its own or one that it had before. */
export const makeIdea = (weft: Client, idea: Omit<Idea, 'id'>): Id =>
  weft.create('the_idea', fieldsOf(idea)).id

export const newKey = (): string => crypto.randomUUID()

function fieldsOf({ key, name, kind, links }: Omit<Idea, 'id'>): FieldsInput {
  return { key, name, kind: kind || 'idea', ...(links.length > 0 && { links: plain(links) }) }
}

/** Replaces the links of an idea. */
export const relink = (weft: Client, { id }: Idea, links: readonly Link[]): void =>
  void weft.update(id, { links: plain(links) })

const plain = (links: readonly Link[]) => links.map(({ to, how }) => ({ to, how }))

/** Says whether an idea is linked with another in this way. */
export const isLinked = ({ links }: Idea, { to, how }: Link): boolean =>
  links.some((link) => link.to === to && link.how === how)
