import type { Id, Query } from '@weft/client'
import { firstAfterPrefix, withWords } from '../words/load-words.ts'
import type { Kind } from './grammar.ts'

/** A word of the store. */
export interface KnownWord {
  readonly id: Id
  readonly text: string
}

/** Returns the query for a question. Text searches use `text` instead of known words. */
export function queryFor(kind: Kind, [x, y]: readonly KnownWord[], text: string): Query {
  const word = x?.text ?? text
  switch (kind) {
    case 'meanings':
    case 'synonyms':
    case 'examples':
      return meaningsQuery(word, [withWords])
    case 'kinds':
    case 'howMany':
      return meaningsQuery(word, [
        relatedHop('the_synset_s_hypernym', true),
        relatedHop('the_synset_s_instance_hypernym', true),
      ])
    case 'above':
      return meaningsQuery(word, [
        relatedHop('the_synset_s_hypernym', false),
        relatedHop('the_synset_s_instance_hypernym', false),
      ])
    case 'parts':
      return meaningsQuery(
        word,
        partRelations.map((name) => relatedHop(name, false)),
      )
    case 'wholes':
      return meaningsQuery(
        word,
        partRelations.map((name) => relatedHop(name, true)),
      )
    case 'opposites':
      return oppositesQuery(word)
    case 'isA':
      return meaningsQuery(word, upwardHops)
    case 'common':
      return commonQuery([x, y].flatMap((known) => known?.id ?? []))
    case 'startWith':
      return prefixQuery(text)
    case 'contain':
      return {
        ...allWords,
        filters: [{ name: 'contains', op: 'like', search: `%${text}%` }],
        logic: 'contains',
      }
  }
}

/** The WordNet relations from a whole to its parts. */
export const partRelations = [
  'the_synset_s_part_meronym',
  'the_synset_s_member_meronym',
  'the_synset_s_substance_meronym',
]

/** Returns a query for a word and its senses, with the given hops from the meaning of each sense. */
const meaningsQuery = (word: string, hops: readonly Query[]): Query => ({
  type: 'the_word',
  order: 'ASC',
  filters: [{ name: 'it', search: word }],
  logic: 'it',
  hops: [senseHop(hops)],
})

const senseHop = (hops: readonly Query[]): Query => ({
  connection: 'the_word_s_sense',
  include: true,
  hops: [
    {
      connection: 'the_synset_s_sense',
      reverse: true,
      selectors: ['the_synset_gloss', 'the_synset_s_example'],
      hops,
    },
  ],
})

const relatedHop = (connection: string, reverse: boolean): Query => ({
  connection,
  reverse,
  limit: true,
  pageSize: maxPerRelation,
  order: 'ASC',
  selectors: ['the_synset_gloss'],
  hops: [withWords],
})

/** The maximum number of meanings per relation. */
export const maxPerRelation = 60

const upwardHops: readonly Query[] = [
  withWords,
  {
    connection: 'the_synset_s_hypernym',
    depth: 20,
    selectors: ['the_synset_gloss'],
    hops: [withWords],
  },
  {
    connection: 'the_synset_s_instance_hypernym',
    selectors: ['the_synset_gloss'],
    hops: [
      withWords,
      {
        connection: 'the_synset_s_hypernym',
        depth: 20,
        selectors: ['the_synset_gloss'],
        hops: [withWords],
      },
    ],
  },
]

const commonQuery = (ids: readonly Id[]): Query => ({
  conceptIds: ids,
  hops: [senseHop(upwardHops)],
})

const oppositesQuery = (word: string): Query => ({
  type: 'the_word',
  order: 'ASC',
  filters: [{ name: 'it', search: word }],
  logic: 'it',
  hops: [
    {
      connection: 'the_word_s_sense',
      include: true,
      hops: [
        { connection: 'the_synset_s_sense', reverse: true, selectors: ['the_synset_gloss'] },
        {
          connection: 'the_sense_s_antonym',
          hops: [
            { connection: 'the_word_s_sense', reverse: true },
            { connection: 'the_synset_s_sense', reverse: true, selectors: ['the_synset_gloss'] },
          ],
        },
      ],
    },
  ],
})

const allWords: Query = { type: 'the_word', order: 'ASC', pageSize: 100 }

const prefixQuery = (text: string): Query => ({
  ...allWords,
  filters: [
    { name: 'start', op: '>=', search: text },
    { name: 'below', op: '<', search: firstAfterPrefix(text) },
  ],
  logic: 'start AND below',
})
