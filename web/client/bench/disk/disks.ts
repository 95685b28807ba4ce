import type { Disk } from './disk.ts'

/** All that can keep data in the browser, each loaded alone. */
export const disks: Readonly<Record<string, () => Promise<Disk>>> = {
  weft: async () => (await import('./weft.ts')).weft,
  tinybase: async () => (await import('./tinybase.ts')).tinybase,
  dexie: async () => (await import('./dexie.ts')).dexie,
}
