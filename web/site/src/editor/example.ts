import type { Client } from '@weft/client'
import { createIdea, newIdeaKey } from './idea.ts'

/** Creates four linked ideas. The sketch shows the same example. */
export function createExampleIdeas(weft: Client): void {
  const [app, cache, outbox, server] = [newIdeaKey(), newIdeaKey(), newIdeaKey(), newIdeaKey()]
  const create = (key: string, name: string, kind: string, links: readonly [string, string][]) =>
    createIdea(weft, { key, name, kind, links: links.map(([how, to]) => ({ how, to })) })
  create(server, 'Server', 'program', [])
  create(outbox, 'Outbox', 'storage', [['is sent to', server]])
  create(cache, 'Cache', 'storage', [
    ['is filled by', server],
    ['includes', outbox],
  ])
  create(app, 'App', 'program', [['writes to', outbox]])
}
