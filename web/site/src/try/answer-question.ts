import type { Id, Query } from '@weft/client'
import { connectedRecords, fetchQuery, type ResultRecord, textOf } from '../public-data.ts'
import { partOfSpeech } from '../words/load-words.ts'
import type { Kind } from './grammar.ts'
import { singularForms } from './parse-question.ts'
import { type KnownWord, maxPerRelation, partRelations, queryFor } from './query.ts'

/** A meaning, with its words. */
export interface Meaning {
  readonly id: Id
  readonly words: readonly string[]
  readonly gloss: string
  readonly examples: readonly string[]
  /** The part of speech; empty if the query does not include it. */
  readonly part: string
}

/** The answer to a question. Its shape determines how it is shown. */
export type Answer =
  | { readonly shape: 'meanings'; readonly word: string; readonly meanings: readonly Meaning[] }
  | { readonly shape: 'groups'; readonly counted: CountedNoun; readonly groups: readonly Group[] }
  | { readonly shape: 'words'; readonly words: readonly string[]; readonly total: number }
  | { readonly shape: 'verdict'; readonly summary: string; readonly chains: readonly Chain[] }

/** The words after the number in a heading: a singular noun and the rest. The noun becomes a plural where needed. */
type CountedNoun = readonly [noun: string, rest: string]

/** The meanings related to one meaning. */
interface Group {
  readonly of: Meaning
  readonly members: readonly Meaning[]
  /** Whether the list may have been cut off: one of its relations has the maximum number of members. */
  readonly isPartial: boolean
}

/** The path from a meaning to a more general one. */
type Chain = readonly Meaning[]

/** An answer and the query that returned it. */
export interface Reply {
  readonly query: Query
  readonly answer: Answer
}

/** Answers a question. Rejects with an UnknownWordError if the store does not contain one of the words. */
export async function answerQuestion(kind: Kind, words: readonly string[]): Promise<Reply> {
  const [text = ''] = words
  const isTextSearch = kind === 'startWith' || kind === 'contain'
  const known = isTextSearch ? [] : await Promise.all(words.map(findWord))
  const query = queryFor(kind, known, text)
  const { records, total } = await fetchQuery(query)
  const [x, y] = known
  return { query, answer: answerOf(kind, records, total, x?.text ?? text, y?.text ?? '') }
}

export class UnknownWordError extends Error {
  readonly word: string

  constructor(word: string) {
    super(`the word “${word}” was not found`)
    this.word = word
  }
}

/** Finds a word by its spelling. If the store does not contain it, finds the base form of an irregular form or regular plural. */
async function findWord(word: string): Promise<KnownWord> {
  for (const [text, query] of lookupQueries(word)) {
    const { records } = await fetchQuery(query)
    const [best] = records.toSorted(
      (a, b) => Number(textOf(b) === text) - Number(textOf(a) === text),
    )
    if (best !== undefined) return { id: best.id, text: textOf(best) }
  }
  throw new UnknownWordError(word)
}

/** Returns pairs of the preferred spelling of the result and a query, in the order in which to try them. */
const lookupQueries = (word: string): readonly (readonly [string, Query])[] => [
  [word, spelledQuery(word)],
  [
    word,
    {
      ...spelledQuery(word),
      filters: [{ name: 'it', on: 'form', search: word }],
      hops: [{ connection: 'the_word_s_noun_form', name: 'form' }],
    },
  ],
  ...singularForms(word).map((text) => [text, spelledQuery(text)] as const),
]

const spelledQuery = (text: string): Query => ({
  type: 'the_word',
  order: 'ASC',
  filters: [{ name: 'it', search: text }],
  logic: 'it',
})

function answerOf(
  kind: Kind,
  records: readonly ResultRecord[],
  total: number,
  x: string,
  y: string,
): Answer {
  switch (kind) {
    case 'startWith':
    case 'contain': {
      const words = records.map(textOf).sort((a, b) => a.length - b.length || a.localeCompare(b))
      return { shape: 'words', words, total }
    }
    case 'meanings':
      return { shape: 'meanings', word: x, meanings: records.flatMap(meaningsIn) }
    case 'examples': {
      const meanings = records.flatMap(meaningsIn).filter(({ examples }) => examples.length > 0)
      return { shape: 'meanings', word: x, meanings }
    }
    case 'synonyms':
      return {
        shape: 'meanings',
        word: x,
        meanings: records.flatMap(meaningsIn).filter(hasSynonyms),
      }
    case 'kinds':
    case 'howMany':
      return groups(
        records,
        ['direct kind', `of “${x}”`],
        [hypernym, instanceHypernym].map((name) => `${name}_reverse`),
      )
    case 'above':
      return groups(records, ['thing', `that “${x}” is a kind of`], [hypernym, instanceHypernym])
    case 'parts':
      return groups(records, ['part', `of “${x}”`], partRelations)
    case 'wholes':
      return groups(
        records,
        ['thing', `that “${x}” is a part of`],
        partRelations.map((name) => `${name}_reverse`),
      )
    case 'opposites':
      return opposites(records, x)
    case 'isA':
      return verdict(records, x, y)
    case 'common':
      return common(records, x, y)
  }
}

const hypernym = 'the_synset_s_hypernym'
const instanceHypernym = 'the_synset_s_instance_hypernym'

/** Returns the senses of a word, each with its meaning. */
const sensesIn = (word: ResultRecord): readonly { sense: ResultRecord; synset: ResultRecord }[] =>
  connectedRecords(word, 'the_word_s_sense').flatMap((sense) =>
    connectedRecords(sense, 'the_synset_s_sense_reverse').map((synset) => ({ sense, synset })),
  )

const meaningsIn = (word: ResultRecord): readonly Meaning[] =>
  sensesIn(word).map(({ sense, synset }) => readMeaning(synset, textOf(word), textOf(sense)))

function readMeaning(synset: ResultRecord, word = '', key = ''): Meaning {
  const others = connectedRecords(synset, 'the_synset_s_sense').flatMap((sense) =>
    connectedRecords(sense, 'the_word_s_sense_reverse').map(textOf),
  )
  return {
    id: synset.id,
    words: [...new Set([word, ...others])].filter(Boolean),
    gloss: textOf(connectedRecords(synset, 'the_synset_gloss')[0]),
    examples: connectedRecords(synset, 'the_synset_s_example').map(textOf),
    part: partOfSpeech(key),
  }
}

const hasSynonyms = ({ words }: Meaning) => words.length > 1

function groups(
  records: readonly ResultRecord[],
  counted: CountedNoun,
  relations: readonly string[],
): Answer {
  const all = records.flatMap((word) =>
    sensesIn(word).map(({ sense, synset }) => {
      const members = relations.flatMap((relation) => connectedRecords(synset, relation))
      return {
        of: readMeaning(synset, textOf(word), textOf(sense)),
        members: members.map((member) => readMeaning(member)),
        isPartial: relations.some(
          (relation) => connectedRecords(synset, relation).length >= maxPerRelation,
        ),
      }
    }),
  )
  return { shape: 'groups', counted, groups: all.filter(({ members }) => members.length > 0) }
}

function opposites(records: readonly ResultRecord[], x: string): Answer {
  const all = records.flatMap((word) =>
    sensesIn(word).map(({ sense, synset }) => ({
      of: readMeaning(synset, textOf(word), textOf(sense)),
      members: connectedRecords(sense, 'the_sense_s_antonym').flatMap((other) =>
        connectedRecords(other, 'the_synset_s_sense_reverse').map((opposite) =>
          readMeaning(opposite, textOf(connectedRecords(other, 'the_word_s_sense_reverse')[0])),
        ),
      ),
      isPartial: false,
    })),
  )
  const groups = all.filter(({ members }) => members.length > 0)
  return { shape: 'groups', counted: ['opposite', `of “${x}”`], groups }
}

function verdict(records: readonly ResultRecord[], x: string, y: string): Answer {
  const chains = records
    .flatMap(chainsIn)
    .filter((chain) => chain.slice(1).some((step) => hasWord(step, y)))
    .map((chain) => chain.slice(0, chain.findIndex((step, i) => i > 0 && hasWord(step, y)) + 1))
  const summary =
    chains.length > 0
      ? `Yes: “${x}” is a kind of “${y}” in ${chains.length === 1 ? 'one sense' : `${chains.length} senses`}.`
      : `No: in this store, “${x}” is not a kind of “${y}”. It is:`
  const shown = chains.length > 0 ? shortest(chains) : records.flatMap(chainsIn).slice(0, 1)
  return { shape: 'verdict', summary, chains: shown }
}

/** Finds the nearest meaning that is more general than both words. */
function common(records: readonly ResultRecord[], x: string, y: string): Answer {
  const [first = [], second = []] = records.map(chainsIn)
  let best: readonly [Chain, Chain] | undefined
  for (const a of first) {
    for (const b of second) {
      const firstIndex = a.findIndex(({ id }) => b.some((step) => step.id === id))
      if (firstIndex < 0) continue
      const secondIndex = b.findIndex(({ id }) => id === a[firstIndex]?.id)
      const pair = [a.slice(0, firstIndex + 1), b.slice(0, secondIndex + 1)] as const
      if (best === undefined || length(pair) < length(best)) best = pair
    }
  }
  const nearest = best?.[0].at(-1)
  const summary = nearest
    ? `“${x}” and “${y}” are both kinds of “${nearest.words[0] ?? nearest.gloss}”.`
    : `“${x}” and “${y}” have nothing in common in this store.`
  return { shape: 'verdict', summary, chains: best ?? [] }
}

const length = ([a, b]: readonly [Chain, Chain]): number => a.length + b.length

const hasWord = ({ words }: Meaning, word: string): boolean =>
  words.some((other) => other.toLowerCase() === word.toLowerCase())

const shortest = (chains: readonly Chain[]): readonly Chain[] =>
  chains.toSorted((a, b) => a.length - b.length).slice(0, 3)

/** Returns all paths from the meanings of a word to their most general meanings. */
const chainsIn = (word: ResultRecord): readonly Chain[] =>
  sensesIn(word).flatMap(({ sense, synset }) =>
    chainsAbove(synset).map((chain) => [
      readMeaning(synset, textOf(word), textOf(sense)),
      ...chain,
    ]),
  )

function chainsAbove(synset: ResultRecord): readonly Chain[] {
  const next = [
    ...connectedRecords(synset, hypernym),
    ...connectedRecords(synset, instanceHypernym),
  ]
  if (next.length === 0) return [[]]
  return next.flatMap((step) => chainsAbove(step).map((chain) => [readMeaning(step), ...chain]))
}
