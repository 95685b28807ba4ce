import type { Id, Query } from '@weft/client'
import { connectedRecords, fetchQuery, type ResultRecord, textOf } from '../public-data.ts'
import { meaningRelations, wordRelations } from './relation.ts'

/** A meaning, called a synset in WordNet, with its words. */
export interface Meaning {
  readonly id: Id
  /** The WordNet key of the first word in this meaning. Used in addresses. */
  readonly sense: string
  readonly words: readonly string[]
  readonly gloss: string
}

/** A meaning of the word that was looked up. */
export interface Sense extends Meaning {
  readonly word: string
  /** The part of speech. */
  readonly kind: string
  readonly examples: readonly string[]
  /** How often the sense occurs in the tagged texts of WordNet. */
  readonly frequency: number
}

/** The meanings related to one meaning, grouped by relation. Empty groups are omitted. */
export interface RelatedMeanings {
  readonly groups: readonly Group[]
}

export interface Group {
  readonly label: string
  readonly members: readonly Meaning[]
  /** Whether the list may have been cut off: it has the maximum length. */
  readonly isPartial: boolean
}

/** The maximum number of meanings per relation between meanings. Relations between words have no limit. */
const maxPerRelation = 60

/** Returns the number of words in the store. */
export const countWords = async (): Promise<number> =>
  (await fetchQuery({ type: 'the_word', pageSize: 1 })).total

/** Returns up to fifty words that start with `text`, or contain it if `anywhere` is true; the shortest first. */
export async function findWords(text: string, anywhere: boolean): Promise<readonly string[]> {
  const { records } = await fetchQuery({
    type: 'the_word',
    pageSize: 200,
    order: 'ASC',
    filters: anywhere
      ? [{ name: 'contains', op: 'like', search: `%${text}%` }]
      : [
          { name: 'start', op: '>=', search: text },
          { name: 'below', op: '<', search: firstAfterPrefix(text) },
        ],
    logic: anywhere ? 'contains' : 'start AND below',
  })
  const words = records.map(textOf)
  return words.sort((a, b) => a.length - b.length || a.localeCompare(b)).slice(0, 50)
}

/** Returns the first string in sort order after all strings with this prefix. */
export const firstAfterPrefix = (text: string): string =>
  text.slice(0, -1) +
  String.fromCodePoint((text.toLowerCase().codePointAt(text.length - 1) ?? 0) + 1)

/** The hops from a meaning to its words. */
export const withWords: Query = {
  connection: 'the_synset_s_sense',
  hops: [{ connection: 'the_word_s_sense', reverse: true }],
}

/** Loads the senses of a word, ignoring case. Within a part of speech, the most frequent sense is first. */
export async function loadSenses(word: string): Promise<readonly Sense[]> {
  const { records } = await fetchQuery({
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
  const exactFirst = records.toSorted(
    (a, b) => Number(textOf(b) === word) - Number(textOf(a) === word),
  )
  return exactFirst.flatMap((record) =>
    connectedRecords(record, 'the_word_s_sense').flatMap((sense) => readSense(record, sense)),
  )
}

function readSense(word: ResultRecord, sense: ResultRecord): readonly Sense[] {
  const [synset] = connectedRecords(sense, 'the_synset_s_sense_reverse')
  if (synset === undefined) return []
  const key = textOf(sense)
  return [
    {
      id: synset.id,
      sense: key,
      word: textOf(word),
      kind: partOfSpeech(key),
      words: [textOf(word), ...wordsIn(synset).map(({ word }) => word)],
      gloss: textOf(connectedRecords(synset, 'the_synset_gloss')[0]),
      examples: connectedRecords(synset, 'the_synset_s_example').map(textOf),
      frequency: Number(textOf(connectedRecords(sense, 'the_sense_frequency')[0])),
    },
  ]
}

/** Returns the part of speech. A sense key contains its number: `dog%1:05:00::`. */
export const partOfSpeech = (key: string): string =>
  partsOfSpeech[Number(/%(\d)/.exec(key)?.[1]) - 1] ?? ''
const partsOfSpeech = ['noun', 'verb', 'adjective', 'adverb', 'adjective']

const wordsIn = (synset: ResultRecord): readonly { sense: string; word: string }[] =>
  connectedRecords(synset, 'the_synset_s_sense').flatMap((sense) =>
    connectedRecords(sense, 'the_word_s_sense_reverse')
      .slice(0, 1)
      .map((word) => ({ sense: textOf(sense), word: textOf(word) })),
  )

/** Loads the meanings related to a meaning. Successful results are cached. */
export function loadRelated(id: Id): Promise<RelatedMeanings> {
  const request = relatedById.get(id) ?? fetchRelated(id)
  relatedById.set(id, request)
  request.catch(() => relatedById.delete(id))
  return request
}

const relatedById = new Map<Id, Promise<RelatedMeanings>>()

async function fetchRelated(id: Id): Promise<RelatedMeanings> {
  const { records } = await fetchQuery({
    conceptIds: [id],
    hops: [...meaningHops(), { connection: 'the_synset_s_sense', hops: wordHops() }],
  })
  const [meaning] = records
  if (meaning === undefined) return { groups: [] }
  const senses = connectedRecords(meaning, 'the_synset_s_sense')
  const meanings = groupsOf(
    meaningRelations,
    'the_synset_s_',
    (key) => connectedRecords(meaning, key).map(readMeaning),
    maxPerRelation,
  )
  const words = groupsOf(wordRelations, 'the_sense_s_', (key) =>
    senses.flatMap((sense) => connectedRecords(sense, key)).flatMap(meaningsOfSense),
  )
  return { groups: [...meanings, ...words] }
}

const meaningHops = (): readonly Query[] =>
  hopDirections(meaningRelations, 'the_synset_s_').map(({ connection, reverse }) => ({
    connection,
    reverse,
    limit: true,
    pageSize: maxPerRelation,
    order: 'ASC',
    selectors: ['the_synset_gloss'],
    hops: [withWords],
  }))

const wordHops = (): readonly Query[] =>
  hopDirections(wordRelations, 'the_sense_s_').map(({ connection, reverse }) => ({
    connection,
    reverse,
    hops: [
      { connection: 'the_word_s_sense', reverse: true },
      { connection: 'the_synset_s_sense', reverse: true, selectors: ['the_synset_gloss'] },
    ],
  }))

type Relations = typeof meaningRelations

function hopDirections(relations: Relations, prefix: string) {
  return relations.flatMap(({ name, reverseLabel }) => {
    const connection = prefix + name
    const forward = { connection, reverse: false }
    return reverseLabel === undefined ? [forward] : [forward, { connection, reverse: true }]
  })
}

/** Returns the non-empty groups of relations, in both directions. `limit` is the maximum length of a list, if any. */
function groupsOf(
  relations: Relations,
  prefix: string,
  membersAt: (key: string) => readonly Meaning[],
  limit = Infinity,
): readonly Group[] {
  const group = (label: string, key: string): readonly Group[] => {
    const members = membersAt(key)
    return members.length === 0 ? [] : [{ label, members, isPartial: members.length >= limit }]
  }
  return relations.flatMap(({ name, label, reverseLabel }) => [
    ...group(label, prefix + name),
    ...(reverseLabel === undefined ? [] : group(reverseLabel, `${prefix}${name}_reverse`)),
  ])
}

function readMeaning(synset: ResultRecord): Meaning {
  const words = wordsIn(synset)
  return {
    id: synset.id,
    sense: words[0]?.sense ?? '',
    words: words.map(({ word }) => word),
    gloss: textOf(connectedRecords(synset, 'the_synset_gloss')[0]),
  }
}

function meaningsOfSense(sense: ResultRecord): readonly Meaning[] {
  const [synset] = connectedRecords(sense, 'the_synset_s_sense_reverse')
  const [word] = connectedRecords(sense, 'the_word_s_sense_reverse')
  if (synset === undefined || word === undefined) return []
  const gloss = textOf(connectedRecords(synset, 'the_synset_gloss')[0])
  return [{ id: synset.id, sense: textOf(sense), words: [textOf(word)], gloss }]
}
