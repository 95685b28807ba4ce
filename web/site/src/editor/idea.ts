import type { Client, Fields, FieldsInput, FieldValue, Id } from '@weft/client'

/**
 * An idea, stored as a record of type `the_idea`. The record contains its links, which refer to other ideas by their
 * keys: unlike ids, keys do not change when the server stores a record.
 */
export interface Idea {
  readonly id: Id
  readonly key: string
  readonly name: string
  /** Any text, such as "tool"; may be empty. */
  readonly kind: string
  readonly links: readonly Link[]
}

export interface Link {
  /** The key of the target. */
  readonly to: string
  /** The label of the link, such as "contains". */
  readonly how: string
}

/** Reads a record, which any visitor may have written. Returns undefined if it has no key or name. */
export function readIdea(id: Id, record: Fields | undefined): Idea | undefined {
  const { key, name, kind, links } = record ?? {}
  if (textOf(key) === '' || textOf(name) === '') return undefined
  return { id, key: textOf(key), name: textOf(name), kind: textOf(kind), links: readLinks(links) }
}

const textOf = (value: FieldValue | undefined): string => (typeof value === 'string' ? value : '')

function readLinks(value: FieldValue | undefined): readonly Link[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : []
  return list.flatMap((link) => {
    const { to, how } = (typeof link === 'object' ? link : {}) as Record<string, FieldValue>
    return typeof to === 'string' && typeof how === 'string' ? [{ to, how }] : []
  })
}

/** Creates an idea. A restored idea keeps its key. Returns the local id. */
export const createIdea = (weft: Client, idea: Omit<Idea, 'id'>): Id =>
  weft.create('the_idea', fieldsOf(idea)).id

export const newIdeaKey = (): string => crypto.randomUUID()

function fieldsOf({ key, name, kind, links }: Omit<Idea, 'id'>): FieldsInput {
  return { key, name, kind: kind || 'idea', ...(links.length > 0 && { links: copyLinks(links) }) }
}

/** Replaces the links of an idea. */
export const setLinks = (weft: Client, { id }: Idea, links: readonly Link[]): void =>
  void weft.update(id, { links: copyLinks(links) })

const copyLinks = (links: readonly Link[]) => links.map(({ to, how }) => ({ to, how }))

/** Reports whether an idea already has this link. */
export const hasLink = ({ links }: Idea, { to, how }: Link): boolean =>
  links.some((link) => link.to === to && link.how === how)
