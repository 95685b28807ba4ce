/** A stretch of the text, by its first character and the one behind its last. */
export interface Stretch {
  readonly from: number
  readonly to: number
}

/**
 * Finds what a refusal of the server speaks of: the character in the logic, or the member or value that it
 * names. Undefined when the message is about the query as a whole.
 */
export function spokenOf(message: string, text: string): Stretch | undefined {
  const logic = /^the logic at character (\d+)/.exec(message)
  if (logic) return inLogic(Number(logic[1]), text)
  for (const [quoted] of message.matchAll(/"[^"]+"/g)) {
    const at = text.lastIndexOf(quoted)
    if (at >= 0) return { from: at, to: at + quoted.length }
  }
  for (const [words, member] of members) {
    const at = words.test(message) ? new RegExp(`"${member}"\\s*:\\s*[^,}\\]]*`).exec(text) : null
    if (at) return { from: at.index, to: at.index + at[0].trimEnd().length }
  }
  return undefined
}

/** Messages that name no member, and what they are about. */
const members: readonly (readonly [RegExp, string])[] = [
  [/^a page of/, 'inpage'],
  [/^page /, 'page'],
  [/depth/, 'depth'],
  [/a hop needs a connection/, 'freeschemaQueries'],
  [/after/, 'after'],
  [/concept ids/, 'conceptIds'],
]

/** The place of a character of the value of `filterLogic`, which is counted from 1. */
function inLogic(nth: number, text: string): Stretch | undefined {
  const member = /"filterLogic"\s*:\s*"/.exec(text)
  if (member === null) return undefined
  let at = member.index + member[0].length
  for (let left = nth - 1; left > 0 && text[at] !== '"'; left--) at += text[at] === '\\' ? 2 : 1
  return { from: at, to: at + 1 }
}
