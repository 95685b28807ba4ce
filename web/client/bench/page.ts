import type { Cost } from './cost.ts'
import { type CrossingCosts, measureCrossing } from './crossing/cross.ts'
import { makeData } from './data.ts'
import type { Disk } from './disk/disk.ts'
import { disks } from './disk/disks.ts'
import { libraryOf } from './libraries.ts'
import { type Column, measure } from './measure.ts'

declare global {
  interface Window {
    /** Returns the processor time of all processes of the browser so far, in ms. */
    cpu(): Promise<number>
    /** Reports to the driver of the browser that a column was started, and later its cost so far. */
    measured(column: Column, cost?: Cost): Promise<void>
    bench: Bench
  }
}

/** The measurements that run in a page. */
interface Bench {
  measure(library: string, skippedColumns: readonly Column[], records: number): Promise<void>
  /** Writes records to the disk. */
  fill(library: string, records: number): Promise<void>
  /** Returns the time to open the disk and read some records, in ms. */
  start(library: string): Promise<number>
  /** Returns the time to write records, in ms. */
  write(library: string, records: number): Promise<number>
  /** Measures reads in the page and from a worker. */
  measureCrossing(): Promise<CrossingCosts>
}

window.bench = {
  async measure(library, skippedColumns, records) {
    const report = (column: Column, cost?: Cost) => void window.measured(column, cost)
    await measure(await libraryOf(library), { cpu: window.cpu, report, skippedColumns }, records)
  },
  async fill(library, records) {
    await (await diskOf(library)).fill(makeData(records))
  },
  async start(library) {
    const disk = await diskOf(library)
    const start = performance.now()
    const read = await disk.start()
    const duration = performance.now() - start
    if (JSON.stringify(read).match(/:"detail \d+"/g)?.length !== 10)
      throw new Error(`${library} reads ${JSON.stringify(read)} from its disk`)
    return duration
  },
  async write(library, records) {
    const write = await (await diskOf(library)).open()
    const start = performance.now()
    await write(records)
    return performance.now() - start
  },
  measureCrossing: () => measureCrossing(window.cpu),
}

async function diskOf(library: string): Promise<Disk> {
  const disk = await disks[library]?.()
  if (!disk) throw new Error(`${library} has no disk`)
  return disk
}
