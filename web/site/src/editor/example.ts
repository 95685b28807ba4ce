import type { Client } from '@weft/client'
import { makeIdea, newKey } from './idea.ts'

/** Makes a few ideas that hang together. */
export function example(weft: Client): void {
  const [loom, warp, weftThread, cloth] = [newKey(), newKey(), newKey(), newKey()]
  const idea = (key: string, name: string, kind: string, links: readonly [string, string][]) =>
    makeIdea(weft, { key, name, kind, links: links.map(([how, to]) => ({ how, to })) })
  idea(cloth, 'Cloth', 'thing', [])
  idea(warp, 'Warp', 'thread', [['becomes', cloth]])
  idea(weftThread, 'Weft', 'thread', [
    ['becomes', cloth],
    ['crosses', warp],
  ])
  idea(loom, 'Loom', 'tool', [['holds', warp]])
}
