import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const [about, results] = ['about.md', 'RESULTS.md'].map((name) => join(import.meta.dirname, name))

/** Replaces the measurements under a heading of the results. The description above them is copied from `about.md`. */
export function putPart(heading, measured) {
  const described = readParts(about)
  const description = described.parts.get(heading)
  if (description === undefined) throw new Error(`${about} has no part "${heading}"`)
  const { parts } = readParts(results)
  parts.set(heading, `${description}\n\n${measured.trim()}`)
  const texts = [...described.parts.keys()].flatMap((name) => {
    const text = parts.get(name)
    return text === undefined ? [] : `## ${name}\n\n${text}`
  })
  writeFileSync(results, `${[described.head, ...texts].join('\n\n')}\n`)
}

/** Reads the text before the first second-level heading, and the text under each second-level heading. */
function readParts(file) {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const [head = '', ...parts] = text.split(/^## /m)
  return {
    head: head.trim(),
    parts: new Map(
      parts.map((part) => {
        const end = part.indexOf('\n')
        return [part.slice(0, end), part.slice(end).trim()]
      }),
    ),
  }
}

if (process.argv[1] === import.meta.filename) {
  putPart(process.argv[2], readFileSync(0, 'utf8'))
}
