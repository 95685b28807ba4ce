import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const [about, results] = ['about.md', 'RESULTS.md'].map((name) => join(import.meta.dirname, name))

/** Puts what was measured under a heading of the results, after what is said about it, in place of what stands there. */
export function putPart(heading, measured) {
  const said = partsOf(about)
  const words = said.parts.get(heading)
  if (words === undefined) throw new Error(`${about} says nothing of ${heading}`)
  const { parts } = partsOf(results)
  parts.set(heading, `${words}\n\n${measured.trim()}`)
  const texts = [...said.parts.keys()].flatMap((name) => {
    const text = parts.get(name)
    return text === undefined ? [] : `## ${name}\n\n${text}`
  })
  writeFileSync(results, `${[said.head, ...texts].join('\n\n')}\n`)
}

/** What a page says before its first heading of the second level, and under each of them. */
function partsOf(file) {
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
