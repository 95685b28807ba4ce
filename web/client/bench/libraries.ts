import type { Library } from './library/library.ts'

/** All that are measured, the limit first, each loaded alone. */
export const libraries: Readonly<Record<string, () => Promise<Library>>> = {
  maps: async () => (await import('./library/maps.ts')).maps,
  weft: async () => (await import('./library/weft.ts')).weft,
  tinybase: async () => (await import('./library/tinybase.ts')).tinybase,
  dexie: async () => (await import('./library/dexie.ts')).dexie,
  tanstack: async () => (await import('./library/tanstack.ts')).tanstack,
}

export async function libraryOf(name: string): Promise<Library> {
  const load = libraries[name]
  if (!load) throw new Error(`${name} is none of ${Object.keys(libraries).join(', ')}`)
  return load()
}
