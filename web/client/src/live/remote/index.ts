/*
 * The parts of live data that need a server. They are loaded after the page has started. Until then the page works as
 * it does offline.
 */
export { ChangeFollower } from './change-follower.ts'
export { Fetcher } from './fetcher.ts'
