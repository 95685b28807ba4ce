import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Program, startProgram } from './program.ts'

/** The real binary for a test. */
export interface Weft extends Program {
  /** How many concepts of a type the store holds, as the server counts them. */
  count(type: string): Promise<number>
}

export const { WEFT: binary = join(import.meta.dirname, '../../bin/weft') } = process.env

/** Starts a server for one test, or for a file when called outside a test with a `cleanUp` of its own. */
export async function startWeft(
  cleanUp: (end: () => Promise<void>) => void = onTestFinished,
): Promise<Weft> {
  const program = await startProgram(binary)
  cleanUp(program.end)
  return {
    ...program,
    async count(type) {
      const answer = await fetch(`${program.url}/api/freeschema-query`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ type, inpage: 1, outputFormat: 6 }),
      })
      return ((await answer.json()) as { mainCount: number }).mainCount
    },
  }
}
