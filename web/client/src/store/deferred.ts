/** The part of store/ that is loaded after the first import of the page, as one chunk. */
export { Cache } from './cache.ts'
export { OutboxChanges } from './outbox-changes.ts'
export { restoreIfReplaced } from './restore.ts'
export { upgradeDatabase } from './upgrade.ts'
