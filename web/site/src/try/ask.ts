import type { Id, Query } from '@weft/client'
import { ask, type Found, follow, textOf } from '../browse.ts'
import type { Kind } from './grammar.ts'
import { type Known, mostRelated, parts, queryFor } from './query.ts'
import { singulars } from './read.ts'

/** A meaning, by the words that have it. */
export interface Meaning {
  readonly id: Id
  readonly words: readonly string[]
  readonly gloss: string
  readonly examples: readonly string[]
  /** Noun, verb and so on; empty when not asked. */
  readonly part: string
}

/** What was found, in one of a few shapes. */
export type Answer =
  | { readonly shape: 'meanings'; readonly word: string; readonly meanings: readonly Meaning[] }
  | { readonly shape: 'groups'; readonly says: Counted; readonly groups: readonly Group[] }
  | { readonly shape: 'words'; readonly words: readonly string[]; readonly total: number }
  | { readonly shape: 'verdict'; readonly says: string; readonly chains: readonly Chain[] }

/** What is counted, in the singular, and how the sentence goes on. */
type Counted = readonly [noun: string, rest: string]

/** What a meaning is related to. `more` when there may be others. */
interface Group {
  readonly of: Meaning
  readonly members: readonly Meaning[]
  readonly more: boolean
}

/** From a meaning to what it is a kind of, step by step. */
type Chain = readonly Meaning[]

export interface Reply {
  readonly query: Query
  readonly answer: Answer
}

/** How many words the store has. */
export const countWords = async (): Promise<number> =>
  (await ask({ type: 'the_word', pageSize: 1 })).total

/** Asks. Rejects with an UnknownWord when a word is not in the store. */
export async function reply(kind: Kind, asked: readonly string[]): Promise<Reply> {
  const [text = ''] = asked
  const byText = kind === 'startWith' || kind === 'contain'
  const known = byText ? [] : await Promise.all(asked.map(know))
  const query = queryFor(kind, known, text)
  const { found, total } = await ask(query)
  const [x, y] = known
  return { query, answer: answerOf(kind, found, total, x?.text ?? text, y?.text ?? '') }
}

export class UnknownWord extends Error {
  readonly word: string

  constructor(word: string) {
    super(`no word here is spelled “${word}”`)
    this.word = word
  }
}

/** The word as spelled, or what it is an irregular or a regular form of. */
async function know(word: string): Promise<Known> {
  for (const [text, query] of waysTo(word)) {
    const { found } = await ask(query)
    const [best] = found.toSorted((a, b) => Number(textOf(b) === text) - Number(textOf(a) === text))
    if (best !== undefined) return { id: best.id, text: textOf(best) }
  }
  throw new UnknownWord(word)
}

const waysTo = (word: string): readonly (readonly [string, Query])[] => [
  [word, spelled(word)],
  [
    word,
    {
      ...spelled(word),
      filters: [{ name: 'it', on: 'form', search: word }],
      hops: [{ connection: 'the_word_s_noun_form', name: 'form' }],
    },
  ],
  ...singulars(word).map((text) => [text, spelled(text)] as const),
]

const spelled = (text: string): Query => ({
  type: 'the_word',
  order: 'ASC',
  filters: [{ name: 'it', search: text }],
  logic: 'it',
})

function answerOf(
  kind: Kind,
  found: readonly Found[],
  total: number,
  x: string,
  y: string,
): Answer {
  switch (kind) {
    case 'startWith':
    case 'contain': {
      const words = found.map(textOf).sort((a, b) => a.length - b.length || a.localeCompare(b))
      return { shape: 'words', words, total }
    }
    case 'meanings':
      return { shape: 'meanings', word: x, meanings: found.flatMap(meaningsIn) }
    case 'examples': {
      const meanings = found.flatMap(meaningsIn).filter(({ examples }) => examples.length > 0)
      return { shape: 'meanings', word: x, meanings }
    }
    case 'synonyms':
      return { shape: 'meanings', word: x, meanings: found.flatMap(meaningsIn).filter(hasOthers) }
    case 'kinds':
    case 'howMany':
      return groups(
        found,
        ['kind', `right below “${x}”`],
        [up, instance].map((name) => `${name}_reverse`),
      )
    case 'above':
      return groups(found, ['thing', `that “${x}” is a kind of`], [up, instance])
    case 'parts':
      return groups(found, ['part', `of “${x}”`], parts)
    case 'wholes':
      return groups(
        found,
        ['thing', `that “${x}” is a part of`],
        parts.map((name) => `${name}_reverse`),
      )
    case 'opposites':
      return opposites(found, x)
    case 'isA':
      return verdict(found, x, y)
    case 'common':
      return common(found, x, y)
  }
}

const up = 'the_synset_s_hypernym'
const instance = 'the_synset_s_instance_hypernym'

/** The senses of a word with the meaning of each. */
const sensesIn = (word: Found): readonly { sense: Found; synset: Found }[] =>
  follow(word, 'the_word_s_sense').flatMap((sense) =>
    follow(sense, 'the_synset_s_sense_reverse').map((synset) => ({ sense, synset })),
  )

const meaningsIn = (word: Found): readonly Meaning[] =>
  sensesIn(word).map(({ sense, synset }) => meaningOf(synset, textOf(word), textOf(sense)))

function meaningOf(synset: Found, word = '', key = ''): Meaning {
  const others = follow(synset, 'the_synset_s_sense').flatMap((sense) =>
    follow(sense, 'the_word_s_sense_reverse').map(textOf),
  )
  return {
    id: synset.id,
    words: [...new Set([word, ...others])].filter(Boolean),
    gloss: textOf(follow(synset, 'the_synset_gloss')[0]),
    examples: follow(synset, 'the_synset_s_example').map(textOf),
    part: kinds[Number(/%(\d)/.exec(key)?.[1]) - 1] ?? '',
  }
}

/** A sense key holds the number of its part of speech: `dog%1:05:00::`. */
const kinds = ['noun', 'verb', 'adjective', 'adverb', 'adjective']

const hasOthers = ({ words }: Meaning) => words.length > 1

function groups(found: readonly Found[], says: Counted, relations: readonly string[]): Answer {
  const all = found.flatMap((word) =>
    sensesIn(word).map(({ sense, synset }) => {
      const members = relations.flatMap((relation) => follow(synset, relation))
      return {
        of: meaningOf(synset, textOf(word), textOf(sense)),
        members: members.map((member) => meaningOf(member)),
        more: relations.some((relation) => follow(synset, relation).length >= mostRelated),
      }
    }),
  )
  return { shape: 'groups', says, groups: all.filter(({ members }) => members.length > 0) }
}

function opposites(found: readonly Found[], x: string): Answer {
  const all = found.flatMap((word) =>
    sensesIn(word).map(({ sense, synset }) => ({
      of: meaningOf(synset, textOf(word), textOf(sense)),
      members: follow(sense, 'the_sense_s_antonym').flatMap((other) =>
        follow(other, 'the_synset_s_sense_reverse').map((at) =>
          meaningOf(at, textOf(follow(other, 'the_word_s_sense_reverse')[0])),
        ),
      ),
      more: false,
    })),
  )
  const groups = all.filter(({ members }) => members.length > 0)
  return { shape: 'groups', says: ['opposite', `of “${x}”`], groups }
}

function verdict(found: readonly Found[], x: string, y: string): Answer {
  const chains = found
    .flatMap(chainsIn)
    .filter((chain) => chain.slice(1).some((step) => isCalled(step, y)))
    .map((chain) => chain.slice(0, chain.findIndex((step, i) => i > 0 && isCalled(step, y)) + 1))
  const says =
    chains.length > 0
      ? `Yes: in ${chains.length === 1 ? 'one sense' : `${chains.length} senses`} “${x}” is a kind of “${y}”.`
      : `No: in no sense is “${x}” a kind of “${y}”, as far as this store knows. It is:`
  const shown = chains.length > 0 ? shortest(chains) : found.flatMap(chainsIn).slice(0, 1)
  return { shape: 'verdict', says, chains: shown }
}

/** The nearest meaning that both words lead up to. */
function common(found: readonly Found[], x: string, y: string): Answer {
  const [first = [], second = []] = found.map(chainsIn)
  let best: readonly [Chain, Chain] | undefined
  for (const a of first) {
    for (const b of second) {
      const meet = a.findIndex(({ id }) => b.some((step) => step.id === id))
      if (meet < 0) continue
      const there = b.findIndex(({ id }) => id === a[meet]?.id)
      const both = [a.slice(0, meet + 1), b.slice(0, there + 1)] as const
      if (best === undefined || length(both) < length(best)) best = both
    }
  }
  const at = best?.[0].at(-1)
  const says = at
    ? `Both “${x}” and “${y}” are a kind of “${at.words[0] ?? at.gloss}”.`
    : `“${x}” and “${y}” meet nowhere in this store.`
  return { shape: 'verdict', says, chains: best ?? [] }
}

const length = ([a, b]: readonly [Chain, Chain]): number => a.length + b.length

const isCalled = ({ words }: Meaning, word: string): boolean =>
  words.some((other) => other.toLowerCase() === word.toLowerCase())

const shortest = (chains: readonly Chain[]): readonly Chain[] =>
  chains.toSorted((a, b) => a.length - b.length).slice(0, 3)

/** Every way up from every meaning of a word. */
const chainsIn = (word: Found): readonly Chain[] =>
  sensesIn(word).flatMap(({ sense, synset }) =>
    above(synset).map((chain) => [meaningOf(synset, textOf(word), textOf(sense)), ...chain]),
  )

function above(synset: Found): readonly Chain[] {
  const next = [...follow(synset, up), ...follow(synset, instance)]
  if (next.length === 0) return [[]]
  return next.flatMap((step) => above(step).map((chain) => [meaningOf(step), ...chain]))
}
