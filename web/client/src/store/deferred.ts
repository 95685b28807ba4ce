/** The parts of store/ that are loaded on demand, as one chunk. */
export { Cache } from './cache.ts'
export { OutboxChanges } from './outbox-changes.ts'
export { restoreIfReplaced } from './restore.ts'
export { upgradeDatabase } from './upgrade.ts'
