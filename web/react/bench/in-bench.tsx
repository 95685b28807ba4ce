import { flushSync } from 'react-dom'
import { createRoot } from 'react-dom/client'
import { makeView } from '../src/page/make-view.ts'
import { readWidget } from '../src/page/widget.ts'
import { WidgetHost } from '../src/page/widget-host.tsx'
import { prepare } from '../src/widget/run.ts'

// Draws the same 200 cards with plain React, as stored HTML, and as widgets whose code runs. Each returns
// the milliseconds until they are drawn and laid out.

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

/** A tree of 200 children; each says its own text, by code where there is some. */
function tree(afterRender: string | undefined): unknown {
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

async function timed(draw: (into: HTMLElement) => Promise<() => void>): Promise<number> {
  const into = document.body.appendChild(document.createElement('main'))
  const start = performance.now()
  const undraw = await draw(into)
  if (into.querySelectorAll('.card').length !== count) throw new Error('not all cards are drawn')
  into.getBoundingClientRect()
  const time = performance.now() - start
  undraw()
  into.remove()
  return time
}

const plain = () =>
  timed(async (into) => {
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

const stored = (json: unknown, drawn?: Promise<void>) =>
  timed(async (into) => {
    const root = createRoot(into)
    const view = makeView(readWidget(json))
    flushSync(() => root.render(<WidgetHost view={view} url={location.origin} />))
    await drawn
    return () => root.unmount()
  })

/** How many hooks have to run yet, and who waits for the last. */
let left = 0
let done = () => {}
const hooked = tree('counts')
const still = tree(undefined)

const inBench = {
  hook() {
    if (--left === 0) done()
  },
  ready: () => prepare(readWidget(hooked), location.origin),
  plain,
  static: () => stored(still),
  trusted() {
    left = count
    const all = new Promise<void>((resolve) => {
      done = resolve
    })
    return stored(hooked, all)
  },
}
window.inBench = inBench

declare global {
  interface Window {
    inBench: typeof inBench
  }
}
