import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { countRecords } from './count-records.ts'
import { type Program, startProgram } from './program.ts'

/** A running server for a test. */
export interface Weft extends Program {
  /** Returns how many concepts of a type a guest can see. */
  count(type: string): Promise<number>
}

/** The path of the binary under test: that in the environment variable WEFT, or bin/weft. */
export const { WEFT: binary = join(import.meta.dirname, '../../bin/weft') } = process.env

/** Starts a server for one test. Pass `cleanUp` to start one for a whole file. */
export async function startWeft(
  cleanUp: (end: () => Promise<void>) => void = onTestFinished,
): Promise<Weft> {
  // The server runs for one test, so it may use more memory and collect garbage less often.
  const program = await startProgram(binary, { GOGC: '800' })
  cleanUp(program.end)
  return {
    ...program,
    count: (type) => countRecords(program.url, type),
  }
}
