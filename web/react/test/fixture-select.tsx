import { type Client, createClient } from '@weft/client'
import { WeftProvider } from '@weft/react'
import { SearchSelect } from '@weft/react/select'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import '../../site/src/styles/site.css'

// The functions that tests of SearchSelect call in the page, through `window.selectFixture`.

/** Renders a form with two town selects. */
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
          <SearchSelect {...source} label="To" name="to" pageSize={3} />
        </form>
      </WeftProvider>
    </StrictMode>,
  )
}

const changes: (string | undefined)[] = []

const selectFixture = { draw, changes }
window.selectFixture = selectFixture

declare global {
  interface Window {
    selectFixture: typeof selectFixture
    weft: Client
  }
}
