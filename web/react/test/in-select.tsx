import { type Client, createClient } from '@weft/client'
import { WeftProvider } from '@weft/react'
import { SearchSelect } from '@weft/react/select'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import '../../site/src/look/site.css'

// What the tests of choosing call inside the page, through `window.inSelect`.

/** Draws two lists of towns in a form. */
function draw(url: string): void {
  const app = document.getElementById('app')
  if (app === null) throw new Error('no #app')
  window.weft = createClient({ url, storage: 'memory' })
  const source = { type: 'the_town', selector: 'the_town_name', filterType: 'the_name' }
  createRoot(app).render(
    <StrictMode>
      <WeftProvider client={window.weft}>
        <h1>Travel</h1>
        <form className="fields">
          <SearchSelect
            {...source}
            label="From"
            name="from"
            onChange={(chosen) => changes.push(chosen?.label)}
          />
          <SearchSelect {...source} label="To" name="to" inpage={3} />
        </form>
      </WeftProvider>
    </StrictMode>,
  )
}

const changes: (string | undefined)[] = []

const inSelect = { draw, changes }
window.inSelect = inSelect

declare global {
  interface Window {
    inSelect: typeof inSelect
    weft: Client
  }
}
