import type { Page, Request } from 'playwright-core'
import { expect } from 'vitest'

/** Records the requests of a page: those without a response, those that write records, and those that the server refused. */
export class Requests {
  readonly refused: string[] = []
  readonly writes: string[] = []
  readonly #open = new Set<Request>()

  constructor(page: Page) {
    page.on('request', (request) => {
      // The stream of changes stays open.
      if (!request.url().includes('/api/v1/events')) this.#open.add(request)
      if (request.url().endsWith('/api/v1/local-concepts')) this.writes.push(nameOf(request))
    })
    page.on('requestfinished', (request) => this.#open.delete(request))
    page.on('requestfailed', (request) => this.#open.delete(request))
    page.on('response', (response) => {
      if ([401, 403].includes(response.status())) this.refused.push(nameOf(response.request()))
    })
  }

  /** Waits until no request is open, apart from the stream of changes. */
  async settled(): Promise<void> {
    await expect.poll(() => [...this.#open].map(nameOf)).toEqual([])
  }
}

const nameOf = (request: Request): string =>
  `${request.method()} ${new URL(request.url()).pathname}`
