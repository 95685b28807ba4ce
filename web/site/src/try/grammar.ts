/** What a question can be about. */
export type Kind =
  | 'meanings'
  | 'kinds'
  | 'howMany'
  | 'above'
  | 'parts'
  | 'wholes'
  | 'synonyms'
  | 'opposites'
  | 'isA'
  | 'common'
  | 'startWith'
  | 'contain'
  | 'examples'

/** A way to ask. */
export interface Rule {
  readonly kind: Kind
  /**
   * Words as they are asked. `[a|b]` is one of several, and nothing when one of them is empty; `{x}` and
   * `{y}` are what is asked about. Articles before these are skipped.
   */
  readonly says: readonly string[]
  /** What it is good for, and questions to begin with. */
  readonly offers: string
  readonly examples: readonly string[]
}

/** Questions are held against these in order: the narrow ones come first. */
export const grammar: readonly Rule[] = [
  {
    kind: 'common',
    says: [
      '[what|] do {x} and {y} have in common',
      '[what|] have {x} and {y} in common',
      'how are {x} and {y} [related|alike]',
      'what [connects|links] {x} and {y}',
    ],
    offers: 'what two things have in common',
    examples: ['What do dogs and cats have in common?', 'How are whales and dogs related?'],
  },
  {
    kind: 'howMany',
    says: [
      'how many [kinds|types|sorts] of {x} are there',
      'how many [kinds|types|sorts] of {x} [exist|]',
      'how many {x} are there',
    ],
    offers: 'how many kinds of something there are',
    examples: ['How many kinds of bird are there?'],
  },
  {
    kind: 'above',
    says: ['what is {x} a [kind|type|sort] of', 'what [kind|type|sort] of thing is {x}'],
    offers: 'what something is a kind of',
    examples: ['What is a loom a kind of?'],
  },
  {
    kind: 'kinds',
    says: [
      '[what|which|] [kinds|types|sorts] of {x} are there',
      '[name|list|show|] [me|] [all|] [the|] [kinds|types|sorts] of {x}',
      'what are [the|] [kinds|types|sorts] of {x}',
    ],
    offers: 'the kinds of something',
    examples: ['Kinds of dog', 'What kinds of fabric are there?'],
  },
  {
    kind: 'wholes',
    says: ['what is {x} [a|] part of', 'what has {x} as [a|] part'],
    offers: 'what something is a part of',
    examples: ['What is weft part of?'],
  },
  {
    kind: 'parts',
    says: [
      '[name|list|show|] [me|] [all|] [the|] parts of {x}',
      'what are [the|] parts of {x}',
      'what parts does {x} have',
      'what is {x} made of',
      'what does {x} consist of',
    ],
    offers: 'the parts of something',
    examples: ['Parts of a house'],
  },
  {
    kind: 'synonyms',
    says: [
      '[what|] [is|are|] [the|] [synonym|synonyms|synonyms] [of|for] {x}',
      '[other|another] [word|words] for {x}',
      'what is [other|another] word for {x}',
      'what else is {x} called',
    ],
    offers: 'other words for something',
    examples: ['Synonyms of big', 'Another word for dog'],
  },
  {
    kind: 'opposites',
    says: [
      '[what|] [is|are|] [the|] [opposite|opposites|antonym|antonyms] [of|for] {x}',
      'what is [the|] [opposite|antonym] [of|to] {x}',
    ],
    offers: 'opposites',
    examples: ['Opposite of good'],
  },
  {
    kind: 'startWith',
    says: [
      '[which|what|list|show|] words [that|which|] [start|starts|begin|begins] with {x}',
      'words [starting|beginning] with {x}',
    ],
    offers: 'words by how they begin',
    examples: ['Words that start with weav'],
  },
  {
    kind: 'contain',
    says: [
      '[which|what|list|show|] words [that|which|] [contain|contains|have|include] {x}',
      'words [containing|with] {x} [inside|in them|]',
    ],
    offers: 'words by what is in them',
    examples: ['Words that contain thread'],
  },
  {
    kind: 'examples',
    says: [
      'use {x} in a sentence',
      '[an|] [example|examples|sentence|sentences] [of|for|with] {x}',
      'how is {x} used',
    ],
    offers: 'a word in sentences',
    examples: ['Use dog in a sentence'],
  },
  {
    kind: 'isA',
    says: ['[is|are] {x} [a|an] [kind|type|sort] of {y}', '[is|are] {x} [a|an] {y}', 'are {x} {y}'],
    offers: 'whether one thing is another',
    examples: ['Is a whale a fish?', 'Are dogs mammals?'],
  },
  {
    kind: 'meanings',
    says: [
      'what [does|do] {x} mean',
      'what [is|are] [the|] [meaning|meanings|definition] of {x}',
      '[meaning|meanings|definition] of {x}',
      'define {x}',
      '[what|who] [is|are|was|were] {x}',
      'explain {x}',
      'tell me about {x}',
    ],
    offers: 'what a word means',
    examples: ['What is a dog?', 'What does weft mean?'],
  },
]
