import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { bundleFrame } from '../frame-bundle.ts'
import type { Answer } from './chromium.ts'

/** A widget as a test writes it down: what is left out is not there. */
export interface Given {
  readonly id: number
  readonly name?: string
  readonly html?: string
  readonly css?: string
  readonly root?: number
  readonly trust?: 'sandbox' | 'trusted'
  readonly code?: Partial<Record<Part | 'html' | 'css', string>> & {
    readonly functions?: readonly { readonly name: string; readonly code: string }[]
    readonly styles?: readonly string[]
    readonly scripts?: readonly string[]
  }
  readonly children?: readonly { readonly wrapper: string; readonly widget: Given }[]
}

type Part = 'dependency' | 'beforeRender' | 'mountChild' | 'afterRender' | 'update' | 'js'

/** The paths of a server that has these widgets: trees, modules, the frame, and a feed that says what it is told to. */
export async function storing(...widgets: Given[]) {
  script ??= bundleFrame()
  const frame = await script
  const stored = new Map(widgets.map((widget) => [widget.id, widget]))
  const feeds = new Set<ServerResponse>()
  let changes = 1
  const asked: string[] = []
  const paths: Record<string, Answer> = {
    '/api/v1/widgets': (answer, url) => {
      asked.push(url.search)
      const widget = stored.get(Number(url.searchParams.get('id')))
      json(answer, { widget: widget ? treeOf(widget) : null })
    },
    '/api/v1/widgets/code': (answer, url) => {
      const all = [...stored.values()].flatMap(everyone)
      const widget = all.find(({ id }) => String(id) === url.searchParams.get('id'))
      const text = widget && codeOf(widget)[url.searchParams.get('part') ?? '']
      if (text === undefined) answer.writeHead(404).end()
      else
        answer
          .writeHead(200, { 'Content-Type': 'text/javascript' })
          .end(`export default async function (tsccs) {\n${text}\n}\n`)
    },
    '/api/v1/widgets/frame': (answer) => {
      const hash = hashOf(frame)
      answer
        .writeHead(200, { 'Content-Type': 'text/html', 'Content-Security-Policy': policy(hash) })
        .end(`<!doctype html><html lang="en"><body><script>${frame}</script></body></html>`)
    },
    '/api/v1/events': (answer) => {
      answer.writeHead(200, { 'Content-Type': 'text/event-stream' })
      answer.write(`event: ready\nid: ${changes}\ndata: {"store":"s"}\n\n`)
      feeds.add(answer)
      answer.on('close', () => feeds.delete(answer))
    },
    '/api/health': (answer) => json(answer, { store: 's' }),
  }
  return {
    paths,
    asked,
    /** Stores a widget in place of what was stored under that id, and tells the feed of its original. */
    publish(id: number, widget: Given): void {
      stored.set(id, widget)
      const change = JSON.stringify({ concepts: [id], types: [] })
      changes++
      for (const feed of feeds) feed.write(`event: change\nid: ${changes}\ndata: ${change}\n\n`)
    },
  }
}

let script: Promise<string> | undefined

const hashOf = (text: string) => createHash('sha256').update(text).digest('base64')

/** As the server says it. */
const policy = (hash: string) =>
  `default-src 'none'; script-src 'sha256-${hash}' 'unsafe-eval'; style-src 'unsafe-inline'; img-src 'self' data:; ` +
  "font-src data:; connect-src 'none'; frame-src 'none'; worker-src 'none'; form-action 'none'; base-uri 'none'; " +
  "frame-ancestors 'self'; sandbox allow-scripts"

/** The policy of a page that shows widgets, as an element of its head. */
export const pagePolicy =
  `<meta http-equiv="Content-Security-Policy" content="default-src 'self'; script-src 'self'; ` +
  `style-src 'self' 'unsafe-inline'; frame-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'">`

const json = (answer: ServerResponse, body: unknown) =>
  answer.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))

function treeOf(given: Given): unknown {
  const { name = `widget ${given.id}`, html = '', css = '', children = [], code, ...rest } = given
  const parts = codeOf(given)
  const modules = Object.fromEntries(
    Object.entries(parts).map(([part, text]) => [
      part,
      `/api/v1/widgets/code?id=${given.id}&part=${part}&hash=${encodeURIComponent(hashOf(text))}`,
    ]),
  )
  return {
    ...rest,
    name,
    html,
    css,
    children: children.map(({ wrapper, widget }) => ({ wrapper, widget: treeOf(widget) })),
    ...(code && {
      code: { html, css, ...code, ...(given.trust === 'trusted' && { modules }) },
    }),
  }
}

function codeOf({ code = {} }: Given): Record<string, string> {
  const {
    html: _html,
    css: _css,
    functions = [],
    styles: _styles,
    scripts: _scripts,
    ...parts
  } = code
  const all = functions.map((f) => f.code).join('\n')
  return { ...parts, ...(all && { functions: all }) }
}

const everyone = (widget: Given): Given[] => [
  widget,
  ...(widget.children ?? []).flatMap((child) => everyone(child.widget)),
]
