export type { Greeting } from '../protocol.ts'
export type { OfflineOptions } from './offline-cache.ts'
export { type ServeOptions, serve } from './serve.ts'
