import { grammar, type Kind } from './grammar.ts'

/** What a question was understood to ask, or how far it was understood. */
export type Read =
  | { readonly kind: Kind; readonly words: readonly string[] }
  | { readonly kind: undefined; readonly understood: string; readonly rest: string }

/** Reads plain English. The same question always means the same. */
export function read(question: string): Read {
  const asked = plain(question)
  for (const { kind, says } of grammar) {
    for (const pattern of says) {
      const words = match(tokens(pattern), asked, true)?.words
      if (words?.every((word) => word !== '')) return { kind, words }
    }
  }
  if (/^[\p{L}'-]+$/u.test(asked)) return { kind: 'meanings', words: [asked] }
  return { kind: undefined, ...furthest(asked) }
}

/** The question without what changes nothing. */
function plain(question: string): string {
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

const tokens = (pattern: string): readonly string[] =>
  pattern.match(/\[[^\]]*\]|\{\w\}|[^\s[\]{}]+/g) ?? []

/** Holds the beginning of a question, or all of it, against tokens. */
function match(tokens: readonly string[], asked: string, whole: boolean) {
  const text = tokens.map(expression).join('')
  const found = new RegExp(`^${text}${whole ? '$' : ''}`, 'u').exec(`${asked} `)
  if (found === null) return undefined
  return { length: found[0].length, words: found.slice(1).map((word) => word.trim()) }
}

/** Each takes the space after it along. */
function expression(token: string): string {
  if (token.startsWith('{'))
    return "(?:(?:an?|the|some|any|all|your|my) )?([\\p{L}\\d][\\p{L}\\d' -]*? )"
  if (!token.startsWith('[')) return `${token} `
  const words = token.slice(1, -1).split('|')
  const some = `(?:${words.filter(Boolean).join('|')}) `
  return words.includes('') ? `(?:${some})?` : some
}

/** How much of a question the best of all rules explains. */
function furthest(asked: string): { understood: string; rest: string } {
  let best = 0
  for (const { says } of grammar) {
    for (const pattern of says) {
      const all = tokens(pattern)
      const words = all.findIndex((token) => token.startsWith('{'))
      for (let upTo = words < 0 ? all.length : words; upTo > 0; upTo--)
        best = Math.max(best, match(all.slice(0, upTo), asked, false)?.length ?? 0)
    }
  }
  return { understood: asked.slice(0, best).trim(), rest: asked.slice(best).trim() }
}

/** What a word in the plural may be the plural of, the likeliest first. */
export function singulars(word: string): readonly string[] {
  const ends: readonly (readonly [RegExp, string])[] = [
    [/ies$/, 'y'],
    [/ves$/, 'f'],
    [/ves$/, 'fe'],
    [/(s|x|z|ch|sh)es$/, '$1'],
    [/men$/, 'man'],
    [/([^s])s$/, '$1'],
  ]
  return ends.flatMap(([end, single]) => (end.test(word) ? [word.replace(end, single)] : []))
}
