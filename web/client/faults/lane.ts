import { parentPort, workerData } from 'node:worker_threads'
import { nodePlatform } from './node-platform.ts'
import type { Platform } from './platform.ts'
import { runTrial } from './trial.ts'

/** The data with which a lane starts. A lane is a thread that runs one seed after another, with its own clock. */
export interface LaneData {
  readonly platform: Platform['name']
  readonly binary: string
}

/** Runs each seed that arrives as a message, and posts its outcome. The message undefined ends the lane. */
export async function runLane(): Promise<void> {
  const { platform: name, binary } = workerData as LaneData
  const platform =
    name === 'node'
      ? nodePlatform
      : await (await import('./chromium-platform.ts')).createChromiumPlatform()
  parentPort?.on('message', async (seed: number | undefined) => {
    if (seed !== undefined) return parentPort?.postMessage(await runTrial(platform, seed, binary))
    await platform.end()
    parentPort?.close()
  })
}
