import type { Id, Query } from '@weft/client'
import { ask, type Found, follow, textOf } from '../browse.ts'
import { meaningRelations, wordRelations } from './relation.ts'

/** A meaning, which WordNet calls a synset, by one of its words. */
export interface Meaning {
  readonly id: Id
  /** The key of the word in this meaning, which names it in an address. */
  readonly sense: string
  readonly words: readonly string[]
  readonly gloss: string
}

/** A meaning of the word that was looked up. */
export interface Sense extends Meaning {
  readonly word: string
  readonly kind: string
  readonly examples: readonly string[]
  /** How often it was met in tagged texts. */
  readonly frequency: number
}

/** What a meaning is related to, by kinds of relation that have something to show. */
export interface Near {
  readonly groups: readonly Group[]
}

export interface Group {
  readonly says: string
  readonly members: readonly Meaning[]
  /** Whether there may be more than these. */
  readonly more: boolean
}

/** How many of one kind of relation are shown. */
const most = 60

/** How many words the store has. */
export const countWords = async (): Promise<number> =>
  (await ask({ type: 'the_word', pageSize: 1 })).total

/** Words that begin with, or hold, a text: at most fifty, the shortest first. */
export async function findWords(text: string, anywhere: boolean): Promise<readonly string[]> {
  const { found } = await ask({
    type: 'the_word',
    pageSize: 200,
    order: 'ASC',
    filters: anywhere
      ? [{ name: 'holds', op: 'like', search: `%${text}%` }]
      : [
          { name: 'least', op: '>=', search: text },
          { name: 'most', op: '<', search: afterAll(text) },
        ],
    logic: anywhere ? 'holds' : 'least AND most',
  })
  const words = found.map(textOf)
  return words.sort((a, b) => a.length - b.length || a.localeCompare(b)).slice(0, 50)
}

/** The first text that stands behind all that begin with this one. */
const afterAll = (text: string): string =>
  text.slice(0, -1) +
  String.fromCodePoint((text.toLowerCase().codePointAt(text.length - 1) ?? 0) + 1)

/** The words of a meaning. */
export const withWords: Query = {
  connection: 'the_synset_s_sense',
  hops: [{ connection: 'the_word_s_sense', reverse: true }],
}

/** The meanings of a word, whatever its letters' case, the most usual first within a part of speech. */
export async function sensesOf(word: string): Promise<readonly Sense[]> {
  const { found } = await ask({
    type: 'the_word',
    order: 'ASC',
    filters: [{ name: 'it', search: word }],
    logic: 'it',
    hops: [
      {
        connection: 'the_word_s_sense',
        include: true,
        selectors: ['the_sense_frequency'],
        hops: [
          {
            connection: 'the_synset_s_sense',
            reverse: true,
            selectors: ['the_synset_gloss', 'the_synset_s_example'],
            hops: [withWords],
          },
        ],
      },
    ],
  })
  const exact = found.toSorted((a, b) => Number(textOf(b) === word) - Number(textOf(a) === word))
  return exact.flatMap((at) => follow(at, 'the_word_s_sense').flatMap((s) => senseOf(at, s)))
}

function senseOf(word: Found, at: Found): readonly Sense[] {
  const [synset] = follow(at, 'the_synset_s_sense_reverse')
  if (synset === undefined) return []
  const key = textOf(at)
  return [
    {
      id: synset.id,
      sense: key,
      word: textOf(word),
      kind: kindOf(key),
      words: [textOf(word), ...wordsOf(synset).map(({ word }) => word)],
      gloss: textOf(follow(synset, 'the_synset_gloss')[0]),
      examples: follow(synset, 'the_synset_s_example').map(textOf),
      frequency: Number(textOf(follow(at, 'the_sense_frequency')[0])),
    },
  ]
}

/** A sense key holds the number of its part of speech: `dog%1:05:00::`. */
const kindOf = (key: string): string => kinds[Number(/%(\d)/.exec(key)?.[1]) - 1] ?? ''
const kinds = ['noun', 'verb', 'adjective', 'adverb', 'adjective']

const wordsOf = (synset: Found): readonly { sense: string; word: string }[] =>
  follow(synset, 'the_synset_s_sense').flatMap((sense) =>
    follow(sense, 'the_word_s_sense_reverse')
      .slice(0, 1)
      .map((word) => ({ sense: textOf(sense), word: textOf(word) })),
  )

/** What a meaning is related to. Asked once for each. */
export function nearOf(id: Id): Promise<Near> {
  const asked = nears.get(id) ?? askNear(id)
  nears.set(id, asked)
  asked.catch(() => nears.delete(id))
  return asked
}

const nears = new Map<Id, Promise<Near>>()

async function askNear(id: Id): Promise<Near> {
  const { found } = await ask({
    conceptIds: [id],
    hops: [...meaningHops(), { connection: 'the_synset_s_sense', hops: wordHops() }],
  })
  const [at] = found
  if (at === undefined) return { groups: [] }
  const senses = follow(at, 'the_synset_s_sense')
  const meanings = both(meaningRelations, 'the_synset_s_', (key) =>
    follow(at, key).map((synset) => meaningOf(synset)),
  )
  const words = both(wordRelations, 'the_sense_s_', (key) =>
    senses.flatMap((sense) => follow(sense, key)).flatMap(meaningOfSense),
  )
  return { groups: [...meanings, ...words] }
}

const meaningHops = (): readonly Query[] =>
  sides(meaningRelations, 'the_synset_s_').map(({ connection, reverse }) => ({
    connection,
    reverse,
    limit: true,
    pageSize: most,
    order: 'ASC',
    selectors: ['the_synset_gloss'],
    hops: [withWords],
  }))

const wordHops = (): readonly Query[] =>
  sides(wordRelations, 'the_sense_s_').map(({ connection, reverse }) => ({
    connection,
    reverse,
    hops: [
      { connection: 'the_word_s_sense', reverse: true },
      { connection: 'the_synset_s_sense', reverse: true, selectors: ['the_synset_gloss'] },
    ],
  }))

type Relations = typeof meaningRelations

function sides(relations: Relations, prefix: string) {
  return relations.flatMap(({ name, back }) => {
    const connection = prefix + name
    const there = { connection, reverse: false }
    return back === undefined ? [there] : [there, { connection, reverse: true }]
  })
}

/** The groups of relations, seen from both sides, that lead to something. */
function both(
  relations: Relations,
  prefix: string,
  membersAt: (key: string) => readonly Meaning[],
): readonly Group[] {
  const group = (says: string, key: string): readonly Group[] => {
    const members = membersAt(key)
    return members.length === 0 ? [] : [{ says, members, more: members.length >= most }]
  }
  return relations.flatMap(({ name, says, back }) => [
    ...group(says, prefix + name),
    ...(back === undefined ? [] : group(back, `${prefix}${name}_reverse`)),
  ])
}

function meaningOf(synset: Found): Meaning {
  const words = wordsOf(synset)
  return {
    id: synset.id,
    sense: words[0]?.sense ?? '',
    words: words.map(({ word }) => word),
    gloss: textOf(follow(synset, 'the_synset_gloss')[0]),
  }
}

function meaningOfSense(sense: Found): readonly Meaning[] {
  const [synset] = follow(sense, 'the_synset_s_sense_reverse')
  const [word] = follow(sense, 'the_word_s_sense_reverse')
  if (synset === undefined || word === undefined) return []
  const gloss = textOf(follow(synset, 'the_synset_gloss')[0])
  return [{ id: synset.id, sense: textOf(sense), words: [textOf(word)], gloss }]
}
