import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { onTestFinished } from 'vitest'

/** A tab in a browser that may hide and freeze it, and keep it in the back/forward cache. */
export interface Tab {
  /** Runs a script and resolves with its result. */
  run<T>(script: string): Promise<T>
  /** Sends a command of the DevTools protocol and resolves with its result. */
  send(method: string, params?: object): Promise<unknown>
}

interface CommandResponse {
  readonly id?: number
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

interface Evaluated<T> {
  readonly result: { readonly value: T; readonly description?: string }
  readonly exceptionDetails?: object
}

/**
 * Starts Chromium for one test and opens tabs in it. Other tests use Playwright, which makes every page visible. This
 * browser does not, because visible pages are never frozen.
 */
export async function startChromium(): Promise<(address: string) => Promise<Tab>> {
  const data = mkdtempSync(join(tmpdir(), 'weft-chromium-'))
  const args = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-sync']
  args.push('--disable-background-networking', '--disable-component-update')
  args.push('--remote-debugging-pipe', `--user-data-dir=${data}`)
  const browser = spawn('/usr/bin/chromium', args, {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  })
  const send = openPipe(browser.stdio[3] as Writable, browser.stdio[4] as Readable)
  onTestFinished(async () => {
    const exited = once(browser, 'exit')
    void send('Browser.close')
    await exited
    rmSync(data, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  })

  return async (address) => {
    const { targetId } = (await send('Target.createTarget', { url: address })) as {
      targetId: string
    }
    const to = { targetId, flatten: true }
    const { sessionId } = (await send('Target.attachToTarget', to)) as { sessionId: string }
    const tab: Tab = {
      send: (method, params) => send(method, params, sessionId),
      async run<T>(expression: string) {
        const params = { expression, awaitPromise: true, returnByValue: true }
        const response = (await tab.send('Runtime.evaluate', params)) as Evaluated<T>
        if (response.exceptionDetails) throw new Error(response.result.description)
        return response.result.value
      },
    }
    return tab
  }
}

/** Sends commands and resolves with their results. Messages are JSON, each terminated by a zero byte. */
function openPipe(to: Writable, from: Readable) {
  const pendingCommands = new Map<number, (response: CommandResponse) => void>()
  let last = 0
  let rest = ''
  from.setEncoding('utf8').on('data', (chunk: string) => {
    const texts = (rest + chunk).split('\0')
    rest = texts.pop() ?? ''
    for (const response of texts.map((text) => JSON.parse(text) as CommandResponse))
      pendingCommands.get(response.id ?? 0)?.(response)
  })
  return async (method: string, params: object = {}, sessionId?: string): Promise<unknown> => {
    const id = ++last
    const responded = new Promise<CommandResponse>((resolve) => pendingCommands.set(id, resolve))
    to.write(`${JSON.stringify({ id, method, params, sessionId })}\0`)
    const { result, error } = await responded
    if (error) throw new Error(`${method}: ${error.message}`)
    return result
  }
}
