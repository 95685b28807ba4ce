import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const file = join(import.meta.dirname, 'RESULTS.md')

/** Puts text under a heading of the results, in place of what stands there, or at their end. */
export function putPart(heading, text) {
  const whole = existsSync(file) ? readFileSync(file, 'utf8') : '# What the browser costs\n'
  const parts = whole.split(/^(?=## )/m)
  const part = `## ${heading}\n\n${text.trim()}\n`
  const at = parts.findIndex((one) => one.startsWith(`## ${heading}\n`))
  if (at < 0) parts.push(part)
  else parts[at] = part
  writeFileSync(file, `${parts.map((one) => one.trimEnd()).join('\n\n')}\n`)
}

if (process.argv[1] === import.meta.filename) {
  putPart(process.argv[2], readFileSync(0, 'utf8'))
}
