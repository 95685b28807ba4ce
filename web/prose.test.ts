import { readdirSync, readFileSync } from 'node:fs'
import { dirname, extname, join, relative } from 'node:path'
import { type ESTree, parseSync, Visitor } from 'rolldown/utils'
import { expect, test } from 'vitest'

/**
 * Counts the sentences in comments, test names and error texts that use an idiom which readers have to translate.
 * The patterns and limits are those of `prose_test.go`, which reads Go, SQL and Markdown. They are a proxy: STYLE.md says
 * what good prose is.
 */
const idioms = [
  /^(What|Whatever|Who|Whoever|Whose)\b(?!.*\?$)/i,
  /\b(of|for|to|by|than|with|as|from|but|and|or|only) (what|whatever|who|whoever|whom|whose)\b/i,
  /\b(some|no|any|every)body\b/i,
  /\b(told|tells)\b/i,
  /\b(stands?|stood)\b/i,
  /\b(is|are) no [a-z]+/i,
  /\blets? go\b/i,
  /\bhangs?\b/i,
  /\bupon\b/i,
]

/** The largest share of such sentences in one folder, and in all of them together. */
const limits = { folder: 0.02, total: 0.01 }

interface Sentence {
  readonly file: string
  readonly line: number
  readonly text: string
}

test('comments, test names and error texts are plain English', () => {
  const folders = new Map<string, Sentence[]>()
  for (const file of sources()) {
    const folder = dirname(file)
    folders.set(folder, [...(folders.get(folder) ?? []), ...sentencesOf(file)])
  }
  const all = [...folders.values()].flat()
  expect(all.length).toBeGreaterThan(1_000)
  const tooMany = [...folders.values()].filter((sentences) => share(sentences) > limits.folder)
  const wrong = share(all) > limits.total ? [all, ...tooMany] : tooMany
  expect([...new Set(wrong.flat())].filter(hasIdiom).map(describeSentence)).toEqual([])
})

test('the check finds the idioms it looks for, and passes questions, code and plain sentences', () => {
  const refused = [
    'What waits is sent.',
    'sends it to whoever asks',
    'told to nobody',
    'a write that stands for itself',
    'what is no id',
    'lets go of the lock',
    'it hangs there',
    'upon return',
  ]
  const accepted = [
    'What does a reader see?',
    'Returns `whoever` unchanged.',
    'Zero fields match anything.',
    'The request hung.',
  ]
  expect([...refused, ...accepted].filter(isIdiomatic)).toEqual(refused)
})

const share = (sentences: readonly Sentence[]): number =>
  sentences.length === 0 ? 0 : sentences.filter(hasIdiom).length / sentences.length

const hasIdiom = ({ text }: Sentence): boolean => isIdiomatic(text)

function isIdiomatic(text: string): boolean {
  const prose = text.replace(/`[^`]*`/g, '`code`')
  return idioms.some((idiom) => idiom.test(prose))
}

const describeSentence = ({ file, line, text }: Sentence): string => `${file}:${line}: ${text}`

function* sources(): Generator<string> {
  const root = import.meta.dirname
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const file = relative(root, join(entry.parentPath, entry.name))
    if (/(^|\/)(node_modules|dist)\//.test(file) || file === 'prose.test.ts') continue
    if (entry.isFile() && /\.([cm]?[jt]s|tsx|css)$/.test(file)) yield file
  }
}

function sentencesOf(file: string): Sentence[] {
  const source = readFileSync(join(import.meta.dirname, file), 'utf8')
  const texts = extname(file) === '.css' ? cssComments(source) : scriptTexts(file, source)
  return texts.flatMap(({ at, text }) => {
    const line = source.slice(0, at).split('\n').length
    return split(text).map((sentence) => ({ file, line, text: sentence }))
  })
}

interface Text {
  /** Offset in the source. */
  readonly at: number
  readonly text: string
}

const cssComments = (source: string): Text[] =>
  [...source.matchAll(/\/\*(.*?)\*\//gs)].map((match) => ({
    at: match.index,
    text: plain(match[1] ?? ''),
  }))

function scriptTexts(file: string, source: string): Text[] {
  const { program, comments, errors } = parseSync(file, source)
  expect(errors, file).toEqual([])
  const texts: Text[] = []
  let end = -1
  for (const comment of comments) {
    const text = plain(comment.value)
    const last = texts.at(-1)
    // Line comments below each other are one text.
    if (last && comment.type === 'Line' && /^\n[ \t]*$/.test(source.slice(end, comment.start)))
      texts[texts.length - 1] = { at: last.at, text: `${last.text}\n${text}` }
    else texts.push({ at: comment.start, text })
    end = comment.end
  }
  new Visitor({
    CallExpression({ callee, arguments: args }) {
      const name = calleeName(callee)
      if (/^(test|it|describe|each)$/.test(name)) texts.push(...literals(args.slice(0, 1)))
      if (/(Error|refuse|invalid|fail)$/i.test(name)) texts.push(...literals(args))
    },
    NewExpression({ callee, arguments: args }) {
      if (calleeName(callee).endsWith('Error')) texts.push(...literals(args))
    },
  }).visit(program)
  return texts
}

/** Returns the name of the called function: `test` for `test`, `test.each` and `test.each(rows)`. */
function calleeName(callee: ESTree.Expression): string {
  if (callee.type === 'Identifier') return callee.name
  if (callee.type === 'CallExpression') return calleeName(callee.callee)
  if (callee.type !== 'MemberExpression') return ''
  const object = callee.object.type === 'Identifier' ? callee.object.name : ''
  if (/^(test|it|describe)$/.test(object)) return object
  return callee.property.type === 'Identifier' ? callee.property.name : ''
}

/** Returns the string and template literals among the arguments of a call. */
function literals(args: readonly ESTree.Argument[]): Text[] {
  return args.flatMap((argument) => {
    if (argument.type === 'Literal' && typeof argument.value === 'string')
      return [{ at: argument.start, text: argument.value }]
    if (argument.type === 'TemplateLiteral')
      return [
        { at: argument.start, text: argument.quasis.map((part) => part.value.raw).join('`x`') },
      ]
    return []
  })
}

/** Removes asterisks, code blocks and tags from a comment. */
const plain = (comment: string): string =>
  comment
    .replace(/^[ \t]*\*+ ?/gm, '')
    .replace(/```.*?```/gs, '')
    .replace(/^@\w+ ?/gm, '')

/** Splits text into sentences of more than one word. An empty line or a list item also ends a sentence. */
const split = (text: string): string[] =>
  text
    .split(/\n\s*\n|\n\s*(?:[-*#|]|\d+\.)\s|(?<=[.:;!?])\s+(?=[A-Z`])/)
    .map((sentence) => sentence.replace(/\s+/g, ' ').trim())
    .filter((sentence) => / /.test(sentence))
