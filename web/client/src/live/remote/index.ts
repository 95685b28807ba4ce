/*
 * The parts of live data that need a server. They are loaded after the page has started. Until then the page works as
 * it does offline.
 */
export { ChangeStream } from './change-stream.ts'
export { Fetcher } from './fetcher.ts'
