import { parentPort, workerData } from 'node:worker_threads'
import { devices } from './devices.ts'
import type { Form } from './form.ts'
import { trial } from './trial.ts'

/** What a lane is for: it plays one seed after another in a thread of its own, with a clock of its own. */
export interface Work {
  readonly form: Form['name']
  readonly binary: string
}

/** Plays each seed that comes as a message, and answers with the outcome. No seed ends it. */
export async function work(): Promise<void> {
  const { form: name, binary } = workerData as Work
  const form = name === 'node' ? devices : await (await import('./pages.ts')).pages()
  parentPort?.on('message', async (seed: number | undefined) => {
    if (seed !== undefined) return parentPort?.postMessage(await trial(form, seed, binary))
    await form.end()
    parentPort?.close()
  })
}
