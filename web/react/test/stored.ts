import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { bundleFrame } from '../frame-bundle.ts'
import type { Handler } from './chromium.ts'

/** A stored widget in a test. Fields that are left out are empty. */
export interface WidgetFixture {
  readonly id: number
  readonly name?: string
  readonly html?: string
  readonly css?: string
  readonly root?: number
  readonly documented?: boolean
  readonly trust?: 'sandbox' | 'trusted'
  readonly code?: Partial<Record<Part | 'html' | 'css', string>> & {
    readonly functions?: readonly { readonly name: string; readonly code: string }[]
    readonly styles?: readonly string[]
    readonly scripts?: readonly string[]
  }
  readonly children?: readonly { readonly wrapper: string; readonly widget: WidgetFixture }[]
}

type Part = 'dependency' | 'beforeRender' | 'mountChild' | 'afterRender' | 'update' | 'js'

/**
 * Returns the handlers of a server with these widgets: trees, code modules, the sandbox frame, and the change stream.
 */
export async function serveWidgets(...widgets: WidgetFixture[]) {
  frameScript ??= bundleFrame()
  const frame = await frameScript
  const stored = new Map(widgets.map((widget) => [widget.id, widget]))
  const streams = new Set<ServerResponse>()
  let changes = 1
  const requests: string[] = []
  const paths: Record<string, Handler> = {
    '/api/v1/widgets': (response, url) => {
      requests.push(url.search)
      const widget = stored.get(Number(url.searchParams.get('id')))
      json(response, { widget: widget ? treeOf(widget) : null })
    },
    '/api/v1/widgets/code': (response, url) => {
      const all = [...stored.values()].flatMap(flatten)
      const widget = all.find(({ id }) => String(id) === url.searchParams.get('id'))
      const text = widget && codeOf(widget)[url.searchParams.get('part') ?? '']
      if (text === undefined) response.writeHead(404).end()
      else
        response
          .writeHead(200, { 'Content-Type': 'text/javascript' })
          .end(`export default async function (tsccs) {\n${text}\n}\n`)
    },
    '/api/v1/widgets/frame': (response) => {
      const hash = hashOf(frame)
      response
        .writeHead(200, { 'Content-Type': 'text/html', 'Content-Security-Policy': policy(hash) })
        .end(`<!doctype html><html lang="en"><body><script>${frame}</script></body></html>`)
    },
    '/api/v1/events': (response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' })
      response.write(`event: ready\nid: ${changes}\ndata: {"store":"s"}\n\n`)
      streams.add(response)
      response.on('close', () => streams.delete(response))
    },
    '/api/health': (response) => json(response, { store: 's' }),
  }
  return {
    paths,
    requests,
    /** Replaces the widget stored under an id, and sends a change of that id to the change streams. */
    publish(id: number, widget: WidgetFixture): void {
      stored.set(id, widget)
      const change = JSON.stringify({ concepts: [id], types: [] })
      changes++
      for (const stream of streams)
        stream.write(`event: change\nid: ${changes}\ndata: ${change}\n\n`)
    },
  }
}

let frameScript: Promise<string> | undefined

const hashOf = (text: string) => createHash('sha256').update(text).digest('base64')

/** The content security policy that the server sends with the frame. */
const policy = (hash: string) =>
  `default-src 'none'; script-src 'sha256-${hash}' 'unsafe-eval'; style-src 'unsafe-inline'; img-src 'self' data:; ` +
  "font-src data:; connect-src 'none'; frame-src 'none'; worker-src 'none'; form-action 'none'; base-uri 'none'; " +
  "frame-ancestors 'self'; sandbox allow-scripts"

/** The content security policy of a page with widgets, as a meta element. */
export const pagePolicy =
  `<meta http-equiv="Content-Security-Policy" content="default-src 'self'; script-src 'self'; ` +
  `style-src 'self' 'unsafe-inline'; frame-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'">`

const json = (response: ServerResponse, body: unknown) =>
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))

function treeOf(fixture: WidgetFixture): unknown {
  const {
    name = `widget ${fixture.id}`,
    html = '',
    css = '',
    children = [],
    code,
    ...rest
  } = fixture
  const parts = codeOf(fixture)
  const modules = Object.fromEntries(
    Object.entries(parts).map(([part, text]) => [
      part,
      `/api/v1/widgets/code?id=${fixture.id}&part=${part}&hash=${encodeURIComponent(hashOf(text))}`,
    ]),
  )
  return {
    ...rest,
    name,
    html,
    css,
    children: children.map(({ wrapper, widget }) => ({ wrapper, widget: treeOf(widget) })),
    ...(code && {
      code: { html, css, ...code, ...(fixture.trust === 'trusted' && { modules }) },
    }),
  }
}

function codeOf({ code = {} }: WidgetFixture): Record<string, string> {
  const {
    html: _html,
    css: _css,
    functions = [],
    styles: _styles,
    scripts: _scripts,
    ...parts
  } = code
  const functionsCode = functions.map((f) => f.code).join('\n')
  return { ...parts, ...(functionsCode && { functions: functionsCode }) }
}

const flatten = (widget: WidgetFixture): WidgetFixture[] => [
  widget,
  ...(widget.children ?? []).flatMap((child) => flatten(child.widget)),
]
