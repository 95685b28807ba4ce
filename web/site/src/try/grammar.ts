/** The kinds of question. */
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

/** A kind of question, with its patterns. */
export interface Rule {
  readonly kind: Kind
  /**
   * `[a|b]` matches one of several words; an empty alternative makes them optional. `{x}` and `{y}` match the words the
   * question is about, without their articles.
   */
  readonly patterns: readonly string[]
  /** Shown above the examples. */
  readonly description: string
  readonly examples: readonly string[]
}

/** All rules, in the order in which they are tried: specific rules are first. */
export const grammar: readonly Rule[] = [
  {
    kind: 'common',
    patterns: [
      '[what|] do {x} and {y} have in common',
      '[what|] have {x} and {y} in common',
      'how are {x} and {y} [related|alike]',
      'what [connects|links] {x} and {y}',
    ],
    description: 'what two things have in common',
    examples: ['What do dogs and cats have in common?', 'How are whales and dogs related?'],
  },
  {
    kind: 'howMany',
    patterns: [
      'how many [kinds|types|sorts] of {x} are there',
      'how many [kinds|types|sorts] of {x} [exist|]',
      'how many {x} are there',
    ],
    description: 'how many kinds of something there are',
    examples: ['How many kinds of bird are there?'],
  },
  {
    kind: 'above',
    patterns: ['what is {x} a [kind|type|sort] of', 'what [kind|type|sort] of thing is {x}'],
    description: 'what something is a kind of',
    examples: ['What is a loom a kind of?'],
  },
  {
    kind: 'kinds',
    patterns: [
      '[what|which|] [kinds|types|sorts] of {x} are there',
      '[name|list|show|] [me|] [all|] [the|] [kinds|types|sorts] of {x}',
      'what are [the|] [kinds|types|sorts] of {x}',
    ],
    description: 'kinds of something',
    examples: ['Kinds of dog', 'What kinds of fabric are there?'],
  },
  {
    kind: 'wholes',
    patterns: ['what is {x} [a|] part of', 'what has {x} as [a|] part'],
    description: 'what something is a part of',
    examples: ['What is weft part of?'],
  },
  {
    kind: 'parts',
    patterns: [
      '[name|list|show|] [me|] [all|] [the|] parts of {x}',
      'what are [the|] parts of {x}',
      'what parts does {x} have',
      'what is {x} made of',
      'what does {x} consist of',
    ],
    description: 'parts of something',
    examples: ['Parts of a house'],
  },
  {
    kind: 'synonyms',
    patterns: [
      '[what|] [is|are|] [the|] [synonym|synonyms] [of|for] {x}',
      '[other|another] [word|words] for {x}',
      'what is [other|another] word for {x}',
      'what else is {x} called',
    ],
    description: 'other words for something',
    examples: ['Synonyms of big', 'Another word for dog'],
  },
  {
    kind: 'opposites',
    patterns: [
      '[what|] [is|are|] [the|] [opposite|opposites|antonym|antonyms] [of|for] {x}',
      'what is [the|] [opposite|antonym] [of|to] {x}',
    ],
    description: 'opposites',
    examples: ['Opposite of good'],
  },
  {
    kind: 'startWith',
    patterns: [
      '[which|what|list|show|] words [that|which|] [start|starts|begin|begins] with {x}',
      'words [starting|beginning] with {x}',
    ],
    description: 'words that start with something',
    examples: ['Words that start with weav'],
  },
  {
    kind: 'contain',
    patterns: [
      '[which|what|list|show|] words [that|which|] [contain|contains|have|include] {x}',
      'words [containing|with] {x} [inside|in them|]',
    ],
    description: 'words that contain something',
    examples: ['Words that contain thread'],
  },
  {
    kind: 'examples',
    patterns: [
      'use {x} in a sentence',
      '[an|] [example|examples|sentence|sentences] [of|for|with] {x}',
      'how is {x} used',
    ],
    description: 'example sentences',
    examples: ['Use dog in a sentence'],
  },
  {
    kind: 'isA',
    patterns: [
      '[is|are] {x} [a|an] [kind|type|sort] of {y}',
      '[is|are] {x} [a|an] {y}',
      'are {x} {y}',
    ],
    description: 'whether one thing is another',
    examples: ['Is a whale a fish?', 'Are dogs mammals?'],
  },
  {
    kind: 'meanings',
    patterns: [
      'what [does|do] {x} mean',
      'what [is|are] [the|] [meaning|meanings|definition] of {x}',
      '[meaning|meanings|definition] of {x}',
      'define {x}',
      '[what|who] [is|are|was|were] {x}',
      'explain {x}',
      'tell me about {x}',
    ],
    description: 'what a word means',
    examples: ['What is a dog?', 'What does weft mean?'],
  },
]
