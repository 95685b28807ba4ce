import type { Disk } from './disk.ts'

/** The libraries that can store data in the browser, each loaded on demand. */
export const disks: Readonly<Record<string, () => Promise<Disk>>> = {
  weft: async () => (await import('./weft.ts')).weft,
  tinybase: async () => (await import('./tinybase.ts')).tinybase,
  dexie: async () => (await import('./dexie.ts')).dexie,
}
