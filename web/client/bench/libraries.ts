import type { Library } from './library/library.ts'

/** The measured libraries, each loaded on demand. The baseline comes first. */
export const libraries: Readonly<Record<string, () => Promise<Library>>> = {
  maps: async () => (await import('./library/maps.ts')).maps,
  weft: async () => (await import('./library/weft.ts')).weft,
  tinybase: async () => (await import('./library/tinybase.ts')).tinybase,
  dexie: async () => (await import('./library/dexie.ts')).dexie,
  tanstack: async () => (await import('./library/tanstack.ts')).tanstack,
}

export async function libraryOf(name: string): Promise<Library> {
  const load = libraries[name]
  if (!load)
    throw new Error(`unknown library ${name}; there are ${Object.keys(libraries).join(', ')}`)
  return load()
}
