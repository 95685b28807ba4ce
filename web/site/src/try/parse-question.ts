import { grammar, type Kind } from './grammar.ts'

/** A question that matches the grammar, or the part of it that was recognised. */
export type ParsedQuestion =
  | { readonly kind: Kind; readonly words: readonly string[] }
  | { readonly kind: undefined; readonly understood: string; readonly rest: string }

/** Parses a question in plain English. The same question always has the same result. */
export function parseQuestion(question: string): ParsedQuestion {
  const text = normalize(question)
  for (const { kind, patterns } of grammar) {
    for (const pattern of patterns) {
      const words = match(tokensOf(pattern), text, 'whole')?.words
      if (words?.every((word) => word !== '')) return { kind, words }
    }
  }
  if (/^[\p{L}'-]+$/u.test(text)) return { kind: 'meanings', words: [text] }
  return { kind: undefined, ...longestMatch(text) }
}

/** Removes punctuation, polite phrases and contractions. */
function normalize(question: string): string {
  return question
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/\b(what|who|how)'s\b/g, '$1 is')
    .replace(/[?!.,;:"“”]/g, ' ')
    .replace(
      /^\s*(please|can you|could you|tell me|i want to know)(?=\s+(what|which|how|who|is|are)\b)/,
      '',
    )
    .replace(/\bplease\b/g, ' ')
    .trim()
    .replace(/\s+/g, ' ')
}

const tokensOf = (pattern: string): readonly string[] =>
  pattern.match(/\[[^\]]*\]|\{\w\}|[^\s[\]{}]+/g) ?? []

/** Matches the tokens of a pattern with the start of a question, or with the whole question. */
function match(tokens: readonly string[], text: string, extent: 'start' | 'whole') {
  const source = tokens.map(expressionOf).join('')
  const found = new RegExp(`^${source}${extent === 'whole' ? '$' : ''}`, 'u').exec(`${text} `)
  if (found === null) return undefined
  return { length: found[0].length, words: found.slice(1).map((word) => word.trim()) }
}

/** Returns a regular expression for a token and the space after it. */
function expressionOf(token: string): string {
  if (token.startsWith('{')) return "(?:(?:an?|the|some|any|all) )?([\\p{L}\\d][\\p{L}\\d' -]*? )"
  if (!token.startsWith('[')) return `${token} `
  const words = token.slice(1, -1).split('|')
  const alternatives = `(?:${words.filter(Boolean).join('|')}) `
  return words.includes('') ? `(?:${alternatives})?` : alternatives
}

/** Returns the longest start of a question that matches the start of any pattern, and the rest. */
function longestMatch(text: string): { understood: string; rest: string } {
  let longest = 0
  for (const { patterns } of grammar) {
    for (const pattern of patterns) {
      const tokens = tokensOf(pattern)
      const firstSlot = tokens.findIndex((token) => token.startsWith('{'))
      for (let count = firstSlot < 0 ? tokens.length : firstSlot; count > 0; count--)
        longest = Math.max(longest, match(tokens.slice(0, count), text, 'start')?.length ?? 0)
    }
  }
  return { understood: text.slice(0, longest).trim(), rest: text.slice(longest).trim() }
}

/** Returns possible singular forms of a word, the most likely first. */
export function singularForms(word: string): readonly string[] {
  const endings: readonly (readonly [RegExp, string])[] = [
    [/ies$/, 'y'],
    [/ves$/, 'f'],
    [/ves$/, 'fe'],
    [/(s|x|z|ch|sh)es$/, '$1'],
    [/men$/, 'man'],
    [/([^s])s$/, '$1'],
  ]
  return endings.flatMap(([plural, singular]) =>
    plural.test(word) ? [word.replace(plural, singular)] : [],
  )
}
