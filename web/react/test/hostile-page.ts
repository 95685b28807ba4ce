import { request } from 'node:http'
import type { Page } from 'playwright-core'
import type { Handler } from './chromium.ts'
import { pagePolicy } from './stored.ts'

// Shared by the tests of hostile widgets: stores a widget on a real server, and serves the page that shows the widget.

/** Stores a widget the way page builders do, with a public value for each field. Returns its id. */
export async function storeWidget(url: string, fields: Record<string, string>): Promise<number> {
  const common = { userId: 999, accessId: 5, typeId: 0, entryTimeStamp: new Date().toISOString() }
  const concept = (id: number, typeCharacter: string, characterValue: string) => ({
    ...common,
    id,
    ghostId: id,
    categoryId: 4,
    characterValue,
    typeCharacter,
    isComposition: id === -1,
  })
  const values = Object.entries(fields).filter(([, value]) => value !== '')
  const response = await fetch(`${url}/api/v1/local-concepts`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Randomizer: String(++storedCount) },
    body: JSON.stringify({
      concepts: [
        concept(-1, 'the_widget', ''),
        ...values.map(([key, value], i) => concept(-2 - i, `the_${key}`, value)),
      ],
      connections: values.map(([key], i) => ({
        ...common,
        id: -1 - i,
        ghostId: -1 - i,
        ofTheConceptId: -1,
        toTheConceptId: -2 - i,
        orderId: 1000,
        typeCharacter: `the_widget_${key}`,
      })),
    }),
  })
  const { concepts } = (await response.json()) as { concepts: { id: number; ghostId: number }[] }
  return concepts.find(({ ghostId }) => ghostId === -1)?.id ?? 0
}

let storedCount = 0

/** The page around the widget. The widget must not change it. */
export const pageHtml = `${pagePolicy}<body><div id="app"><p id="outside">outside</p></div><p id="weft-status"></p>`

/** Waits until the code of the widget has finished, or an error box has replaced its frame. */
export const waitForEnd = (page: Page) =>
  page.waitForFunction(
    () => window.codeFixture.notices.includes('end') || document.querySelector('[role=alert]'),
  )

/** Forwards every request except that for the page to a real server. */
export const forwardTo =
  (weft: string): Handler =>
  (response, { pathname, search }) => {
    const { method, headers } = response.req
    const forwarded = request(weft + pathname + search, { method, headers }, (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers)
      reply.pipe(response)
    })
    forwarded.on('error', () => response.destroy())
    response.on('close', () => forwarded.destroy())
    response.req.pipe(forwarded)
  }
