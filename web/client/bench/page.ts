import { makeData } from './data.ts'
import { type Disk, disks } from './disk.ts'
import { libraryOf } from './libraries.ts'
import { measured, type Times } from './measure.ts'

declare global {
  interface Window {
    measure(library: string, records: number): Promise<Times>
    /** Milliseconds that a library takes for something with its disk. */
    disk(library: string, work: keyof Disk, records: number): Promise<number>
  }
}

window.measure = async (library, records) => measured(await libraryOf(library), records)

window.disk = async (library, work, records) => {
  const disk = disks[library]
  if (!disk) throw new Error(`${library} has no disk`)
  const data = work === 'fill' ? makeData(records) : undefined
  const start = performance.now()
  if (data) await disk.fill(data)
  else if (work === 'start') await disk.start()
  else await disk.write(records)
  return performance.now() - start
}
