export type { Greeting } from '../worker/message.ts'
export type { Kept } from './keeper.ts'
export { type ServeOptions, serve } from './serve.ts'
