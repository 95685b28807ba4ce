import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { onTestFinished } from 'vitest'

/** A blocked main thread of a page, which uses no processor time. */
export interface Block {
  /** Resolves when the page is blocked. */
  readonly begun: Promise<void>
  /** Unblocks the page, and returns the result of `after`. */
  end(): Promise<unknown>
}

/**
 * Runs `before` and `after` in one task of a page. Between them the page is blocked: it sends a synchronous request,
 * and the response waits until `end` is called.
 */
export async function block(
  page: Page,
  before: () => unknown = () => {},
  after: () => unknown = () => {},
): Promise<Block> {
  let release!: () => void
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const server = createServer()
  const begun = new Promise<void>((resolve) => {
    server.on('request', async (_, response) => {
      resolve()
      await released
      response.writeHead(200, { 'Access-Control-Allow-Origin': '*' }).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const ended = page.evaluate(
    `(async () => { await (${before})(); (${request})('${url}'); return (${after})() })()`,
  )
  return {
    begun: Promise.race([begun, ended.then(() => begun)]),
    async end() {
      release()
      return ended
    },
  }
}

const request = (url: string): void => {
  const request = new XMLHttpRequest()
  request.open('GET', url, false)
  request.send()
}
