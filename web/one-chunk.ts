import type { Rolldown } from 'vite'

/**
 * Combines all modules that an entry imports, directly or through others, into one chunk: one file compresses better than
 * the small files that it would share with parts loaded later, and takes one request.
 */
export function oneChunkAtOnce(entry: string): Rolldown.CodeSplittingOptions {
  const atOnce = new Set<string>()
  const add = (id: string, context: Rolldown.ChunkingContext): void => {
    if (atOnce.has(id)) return
    atOnce.add(id)
    for (const imported of context.getModuleInfo(id)?.importedIds ?? []) add(imported, context)
  }
  const nameOf = (id: string, context: Rolldown.ChunkingContext) => {
    if (atOnce.size === 0) add(entry, context)
    return atOnce.has(id) ? 'main' : null
  }
  return { groups: [{ name: nameOf, debugName: 'main' }] }
}
