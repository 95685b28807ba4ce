/** A range of characters in a text: `from` is the first one, `to` the one after the last. */
export interface TextRange {
  readonly from: number
  readonly to: number
}

/**
 * Finds the part of a query to which an error message of the server refers: a character of the filter logic, or a
 * quoted member or value. Returns undefined if the message is about the whole query.
 */
export function findErrorRange(message: string, text: string): TextRange | undefined {
  const logic = /^the logic at character (\d+)/.exec(message)
  if (logic) return logicRange(Number(logic[1]), text)
  for (const [quoted] of message.matchAll(/"[^"]+"/g)) {
    const from = text.lastIndexOf(quoted)
    if (from >= 0) return { from, to: from + quoted.length }
  }
  for (const [words, member] of members) {
    const match = words.test(message)
      ? new RegExp(`"${member}"\\s*:\\s*[^,}\\]]*`).exec(text)
      : null
    if (match) return { from: match.index, to: match.index + match[0].trimEnd().length }
  }
  return undefined
}

/** Messages that refer to a member without quoting it, and that member. */
const members: readonly (readonly [RegExp, string])[] = [
  [/^a page of/, 'inpage'],
  [/^page /, 'page'],
  [/depth/, 'depth'],
  [/a hop needs a connection/, 'freeschemaQueries'],
  [/after/, 'after'],
  [/concept ids/, 'conceptIds'],
]

/** Returns the range of the n-th character, counted from 1, of the value of `filterLogic`. */
function logicRange(nth: number, text: string): TextRange | undefined {
  const member = /"filterLogic"\s*:\s*"/.exec(text)
  if (member === null) return undefined
  let offset = member.index + member[0].length
  for (let left = nth - 1; left > 0 && text[offset] !== '"'; left--)
    offset += text[offset] === '\\' ? 2 : 1
  return { from: offset, to: offset + 1 }
}
