import type { Client, ClientOptions } from './api.ts'
import { WeftError } from './graph/error.ts'

/** Opens the graph of an application. One client per page is enough. */
export function createClient(options: ClientOptions): Client {
  throw new WeftError('unavailable', `the client for ${options.url} is not there yet`)
}
