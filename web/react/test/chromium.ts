import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Browser, Page, Request } from 'playwright-core'
import { build, type Rolldown } from 'vite'
import { afterAll, onTestFinished } from 'vitest'
import { launch } from '../../e2e/launch.ts'

/** A document in Chromium with the code under test loaded, and what it asked the network for. */
export interface Opened {
  readonly page: Page
  /** Addresses asked for after the document and its script. */
  readonly asked: string[]
}

/** Answers a path of the test's own server; `*` stands for those that are not named. */
export type Answer = (answer: ServerResponse, url: URL) => void

/** Opens a document with this body, served with an entry of this folder and these paths. */
export async function open(
  entry: `in-${string}`,
  body = '',
  paths: Record<string, Answer> = {},
): Promise<Opened> {
  const { script, style } = await bundle(entry)
  const server = createServer((request, answer) => {
    const url = new URL(request.url ?? '/', 'http://server')
    if (url.pathname === '/') {
      html(
        answer,
        `<!doctype html><html lang="en">${style}<script src="/script.js"></script>${body}`,
      )
    } else if (url.pathname === '/script.js') javascript(answer, script)
    else if (paths[url.pathname]) paths[url.pathname]?.(answer, url)
    else if (paths['*']) paths['*'](answer, url)
    else answer.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const page = await blank()
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  await page.goto(url)
  const asked: string[] = []
  const hear = (request: Request) => {
    if (request.url() !== url && !request.url().endsWith('/script.js')) asked.push(request.url())
  }
  page.on('request', hear)
  onTestFinished(() => {
    page.off('request', hear)
    server.close()
  })
  return { page, asked }
}

const html = (answer: ServerResponse, text: string) =>
  answer.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(text)
const javascript = (answer: ServerResponse, text: string) =>
  answer.writeHead(200, { 'Content-Type': 'text/javascript; charset=utf-8' }).end(text)

/** The page of this file; each test loads its own document into it, from an origin of its own. */
function blank(): Promise<Page> {
  running ??= launch()
  only ??= running.then((browser) => browser.newPage())
  return only
}

let running: Promise<Browser> | undefined
let only: Promise<Page> | undefined

afterAll(async () => {
  await (await running)?.close()
})

/** What a test's own server sends of an entry: its script, and its CSS as an element. */
interface Bundle {
  readonly script: string
  readonly style: string
}

function bundle(entry: string): Promise<Bundle> {
  built ??= build({
    configFile: false,
    logLevel: 'silent',
    define: { 'process.env.NODE_ENV': '"development"' },
    build: {
      write: false,
      lib: { entry: join(import.meta.dirname, entry), formats: ['iife'], name: 'inTest' },
      rolldownOptions: { output: { codeSplitting: false } },
    },
  }).then((output) => {
    const parts = (output as Rolldown.RolldownOutput[]).flatMap((part) => part.output)
    const text = (ending: string) => {
      const part = parts.find(({ fileName }) => fileName.endsWith(ending))
      return part?.type === 'chunk' ? part.code : String(part?.source ?? '')
    }
    return { script: text('.js'), style: `<style>${text('.css')}</style>` }
  })
  return built
}

let built: Promise<Bundle> | undefined

declare global {
  interface Window {
    /** What hostile code calls when it gets to run. */
    hit: () => void
  }
}
