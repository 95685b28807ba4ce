import { createClient } from '@weft/client'
import { WeftProvider } from '@weft/react'
import { DocumentationButton } from '@weft/react/documentation'
import { StoredWidget } from '@weft/react/page'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import '../../site/src/look/site.css'

// What the tests of documentation call inside the page, through `window.inDocumentation`.

/** Draws two widgets with a button each, with a client or without. */
function draw(url: string, widgets: readonly number[], client: 'client' | 'alone' = 'alone'): void {
  const app = document.getElementById('app')
  if (app === null) throw new Error('no #app')
  const page = widgets.map((widget) => (
    <section key={widget} style={{ minHeight: '50vh' }}>
      <h2>Widget {widget}</h2>
      <DocumentationButton widget={widget} url={url} show={shown} />
    </section>
  ))
  const weft = createClient({ url, storage: 'memory' })
  window.weft = weft
  createRoot(app).render(
    <StrictMode>
      <h1>Widgets</h1>
      {client === 'alone' ? page : <WeftProvider client={weft}>{page}</WeftProvider>}
    </StrictMode>,
  )
}

const shown = (by: number) => <StoredWidget id={by} version="latest" showDocumentation={false} />

const inDocumentation = { draw }
window.inDocumentation = inDocumentation

declare global {
  interface Window {
    inDocumentation: typeof inDocumentation
  }
}
