import { flushSync } from 'react-dom'
import { createRoot } from 'react-dom/client'
import { WidgetHost } from '../src/page/widget-host.tsx'
import { makeView } from '../src/stored/make-view.ts'
import { readWidgetTree } from '../src/stored/widget-tree.ts'
import { loadModules } from '../src/widget/run.ts'

// Draws the same 200 cards with plain React, as static widgets, and as trusted widgets with code. Each function returns
// the milliseconds until the cards are drawn and laid out.

const count = 200
const numbers = Array.from({ length: count }, (_, i) => i)
const css =
  '.card { display: grid; gap: 4px } .card h3 { color: rgb(1, 2, 3) } .card b { color: rgb(4, 5, 6) }'

const html = (text: string) =>
  `<article class="card"><h3>${text}</h3><p>One <b>bold</b> word and <i>another</i>.</p><ul><li>first</li><li>second</li><li>third</li></ul></article>`

function Card({ text }: { text: string }) {
  return (
    <article className="card">
      <h3>{text}</h3>
      <p>
        One <b>bold</b> word and <i>another</i>.
      </p>
      <ul>
        <li>first</li>
        <li>second</li>
        <li>third</li>
      </ul>
    </article>
  )
}

/** Returns widget JSON with 200 children. If `afterRender` is given, all widgets have code and the children run it. */
function cardTree(afterRender: string | undefined): unknown {
  const places = numbers.map((i) => `<div id="p${i}" class="added-widget-container"></div>`)
  const code = (html: string, after = '') => ({
    trust: 'trusted',
    code: {
      html,
      css: after && css,
      afterRender: after,
      modules: after && { afterRender: '/hook.js' },
    },
  })
  const main = places.join('')
  return {
    id: 1,
    name: 'all',
    html: main,
    ...(afterRender !== undefined && code(main)),
    children: numbers.map((i) => ({
      wrapper: `p${i}`,
      widget: {
        id: 2,
        name: 'card',
        html: html(`card ${i}`),
        css,
        ...(afterRender !== undefined && code(html(`card ${i}`), afterRender)),
      },
    })),
  }
}

async function measure(draw: (into: HTMLElement) => Promise<() => void>): Promise<number> {
  const into = document.body.appendChild(document.createElement('main'))
  const start = performance.now()
  const unmount = await draw(into)
  if (into.querySelectorAll('.card').length !== count) throw new Error('not all cards are drawn')
  into.getBoundingClientRect()
  const time = performance.now() - start
  unmount()
  into.remove()
  return time
}

const plain = () =>
  measure(async (into) => {
    const root = createRoot(into)
    flushSync(() =>
      root.render(
        <>
          <style>{css}</style>
          {numbers.map((i) => (
            <div key={i} id={`p${i}`} className="added-widget-container">
              <div>
                <Card text={`card ${i}`} />
              </div>
            </div>
          ))}
        </>,
      ),
    )
    return () => root.unmount()
  })

const stored = (json: unknown, allDrawn?: Promise<void>) =>
  measure(async (into) => {
    const root = createRoot(into)
    const view = makeView(readWidgetTree(json))
    flushSync(() => root.render(<WidgetHost view={view} url={location.origin} />))
    await allDrawn
    return () => root.unmount()
  })

/** The number of hooks that have not run yet, and the function to call after the last hook. */
let hooksLeft = 0
let onLastHook = () => {}
const treeWithCode = cardTree('counts')
const staticTree = cardTree(undefined)

const benchFixture = {
  hook() {
    if (--hooksLeft === 0) onLastHook()
  },
  ready: () => loadModules(readWidgetTree(treeWithCode), location.origin),
  plain,
  static: () => stored(staticTree),
  trusted() {
    hooksLeft = count
    const allDrawn = new Promise<void>((resolve) => {
      onLastHook = resolve
    })
    return stored(treeWithCode, allDrawn)
  },
}
window.benchFixture = benchFixture

declare global {
  interface Window {
    benchFixture: typeof benchFixture
  }
}
