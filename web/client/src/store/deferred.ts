/** The parts of store/ that are loaded on demand, as one chunk. */
export { Cache } from './cache.ts'
export { restoreOutbox } from './restore.ts'
export { upgradeDatabase } from './upgrade.ts'
