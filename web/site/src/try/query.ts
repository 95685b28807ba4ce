import type { Id, Query } from '@weft/client'
import { withWords } from '../words/ask.ts'
import type { Kind } from './grammar.ts'

/** A word, as it stands in the store. */
export interface Known {
  readonly id: Id
  readonly text: string
}

/** The query that a question about known words becomes. */
export function queryFor(kind: Kind, [x, y]: readonly Known[], text: string): Query {
  const word = x?.text ?? text
  switch (kind) {
    case 'meanings':
    case 'synonyms':
    case 'examples':
      return meaningsOf(word, [withWords])
    case 'kinds':
    case 'howMany':
      return meaningsOf(word, [
        related('the_synset_s_hypernym', true),
        related('the_synset_s_instance_hypernym', true),
      ])
    case 'above':
      return meaningsOf(word, [
        related('the_synset_s_hypernym', false),
        related('the_synset_s_instance_hypernym', false),
      ])
    case 'parts':
      return meaningsOf(
        word,
        parts.map((name) => related(name, false)),
      )
    case 'wholes':
      return meaningsOf(
        word,
        parts.map((name) => related(name, true)),
      )
    case 'opposites':
      return oppositesOf(word)
    case 'isA':
      return meaningsOf(word, upwards)
    case 'common':
      return bothUpwards([x, y].flatMap((known) => known?.id ?? []))
    case 'startWith':
      return wordsFrom(text)
    case 'contain':
      return {
        ...words,
        filters: [{ name: 'holds', op: 'like', search: `%${text}%` }],
        logic: 'holds',
      }
  }
}

/** The part relations of WordNet, from the whole to the part. */
export const parts = [
  'the_synset_s_part_meronym',
  'the_synset_s_member_meronym',
  'the_synset_s_substance_meronym',
]

/** A word, its senses, and what hangs on the meaning of each. */
const meaningsOf = (word: string, hops: readonly Query[]): Query => ({
  type: 'the_word',
  order: 'ASC',
  filters: [{ name: 'it', search: word }],
  logic: 'it',
  hops: [senses(hops)],
})

const senses = (hops: readonly Query[]): Query => ({
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

const related = (connection: string, reverse: boolean): Query => ({
  connection,
  reverse,
  limit: true,
  pageSize: mostRelated,
  order: 'ASC',
  selectors: ['the_synset_gloss'],
  hops: [withWords],
})

/** How many of a relation are asked for. */
export const mostRelated = 60

const upwards: readonly Query[] = [
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

const bothUpwards = (ids: readonly Id[]): Query => ({ conceptIds: ids, hops: [senses(upwards)] })

const oppositesOf = (word: string): Query => ({
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

const words: Query = { type: 'the_word', order: 'ASC', pageSize: 100 }

const wordsFrom = (text: string): Query => ({
  ...words,
  filters: [
    { name: 'least', op: '>=', search: text },
    { name: 'below', op: '<', search: afterAll(text) },
  ],
  logic: 'least AND below',
})

/** The first text that stands behind all that begin with this one. */
const afterAll = (text: string): string =>
  text.slice(0, -1) + String.fromCodePoint((text.codePointAt(text.length - 1) ?? 0) + 1)
