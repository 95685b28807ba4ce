import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { onTestFinished } from 'vitest'

/** A tab of a browser that treats it as any other: shown or hidden, frozen, kept to go back to. */
export interface Tab {
  /** What a script comes to, once it is there. */
  run<T>(script: string): Promise<T>
  send(method: string, params?: object): Promise<unknown>
}

interface Answer {
  readonly id?: number
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

interface Evaluated<T> {
  readonly result: { readonly value: T; readonly description?: string }
  readonly exceptionDetails?: object
}

/**
 * Starts Chromium for one test, and opens tabs in it. The tool that other tests use tells every page that it is
 * seen; this one does not, because what is seen is never frozen.
 */
export async function startChromium(): Promise<(address: string) => Promise<Tab>> {
  const data = mkdtempSync(join(tmpdir(), 'weft-chromium-'))
  const args = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-sync']
  args.push('--disable-background-networking', '--disable-component-update')
  args.push('--remote-debugging-pipe', `--user-data-dir=${data}`)
  const browser = spawn('/usr/bin/chromium', args, {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  })
  const send = wire(browser.stdio[3] as Writable, browser.stdio[4] as Readable)
  onTestFinished(async () => {
    const gone = once(browser, 'exit')
    void send('Browser.close')
    await gone
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
        const how = { expression, awaitPromise: true, returnByValue: true }
        const answer = (await tab.send('Runtime.evaluate', how)) as Evaluated<T>
        if (answer.exceptionDetails) throw new Error(answer.result.description)
        return answer.result.value
      },
    }
    return tab
  }
}

/** Sends commands and resolves with their results: JSON, each with a zero behind. */
function wire(to: Writable, from: Readable) {
  const waiting = new Map<number, (answer: Answer) => void>()
  let last = 0
  let rest = ''
  from.setEncoding('utf8').on('data', (chunk: string) => {
    const texts = (rest + chunk).split('\0')
    rest = texts.pop() ?? ''
    for (const answer of texts.map((text) => JSON.parse(text) as Answer))
      waiting.get(answer.id ?? 0)?.(answer)
  })
  return async (method: string, params: object = {}, sessionId?: string): Promise<unknown> => {
    const id = ++last
    const answered = new Promise<Answer>((answer) => waiting.set(id, answer))
    to.write(`${JSON.stringify({ id, method, params, sessionId })}\0`)
    const { result, error } = await answered
    if (error) throw new Error(`${method}: ${error.message}`)
    return result
  }
}
