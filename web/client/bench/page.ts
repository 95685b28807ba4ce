import type { Cost } from './cost.ts'
import { type Crossing, cross } from './crossing/cross.ts'
import { makeData } from './data.ts'
import type { Disk } from './disk/disk.ts'
import { disks } from './disk/disks.ts'
import { libraryOf } from './libraries.ts'
import { type Column, measure } from './measure.ts'

declare global {
  interface Window {
    /** Milliseconds that processors worked so far, for all of this browser. */
    cpu(): Promise<number>
    /** Tells who drives the browser which column is begun, and what it took so far. */
    measured(column: Column, cost?: Cost): Promise<void>
    bench: Bench
  }
}

/** What can be measured in a page. */
interface Bench {
  measure(library: string, without: readonly Column[], records: number): Promise<void>
  /** Leaves so many records on the disk. */
  fill(library: string, records: number): Promise<void>
  /** Milliseconds that it takes to open it and read some. */
  start(library: string): Promise<number>
  /** Milliseconds that it takes to write so many. */
  write(library: string, records: number): Promise<number>
  cross(): Promise<Crossing>
}

window.bench = {
  async measure(library, without, records) {
    const tell = (column: Column, cost?: Cost) => void window.measured(column, cost)
    await measure(await libraryOf(library), { cpu: window.cpu, tell, without }, records)
  },
  async fill(library, records) {
    await (await diskOf(library)).fill(makeData(records))
  },
  async start(library) {
    const disk = await diskOf(library)
    const start = performance.now()
    const read = await disk.start()
    const taken = performance.now() - start
    if (JSON.stringify(read).match(/:"detail \d+"/g)?.length !== 10)
      throw new Error(`${library} reads ${JSON.stringify(read)} from its disk`)
    return taken
  },
  async write(library, records) {
    const write = await (await diskOf(library)).open()
    const start = performance.now()
    await write(records)
    return performance.now() - start
  },
  cross: () => cross(window.cpu),
}

async function diskOf(library: string): Promise<Disk> {
  const disk = await disks[library]?.()
  if (!disk) throw new Error(`${library} has no disk`)
  return disk
}
