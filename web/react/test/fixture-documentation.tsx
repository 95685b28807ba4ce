import { createClient } from '@weft/client'
import { WeftProvider } from '@weft/react'
import { DocumentationButton } from '@weft/react/documentation'
import { StoredWidget } from '@weft/react/page'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import '../../site/src/styles/site.css'

// The functions that documentation tests call in the page, through `window.documentationFixture`.

/** Renders a documentation button for each widget, inside or outside a provider. */
function draw(
  url: string,
  widgets: readonly number[],
  client: 'client' | 'no client' = 'no client',
): void {
  const app = document.getElementById('app')
  if (app === null) throw new Error('no #app')
  const page = widgets.map((widget) => (
    <section key={widget} style={{ minHeight: '50vh' }}>
      <h2>Widget {widget}</h2>
      <DocumentationButton widget={widget} url={url} renderWidget={renderWidget} />
    </section>
  ))
  const weft = createClient({ url, storage: 'memory' })
  window.weft = weft
  createRoot(app).render(
    <StrictMode>
      <h1>Widgets</h1>
      {client === 'no client' ? page : <WeftProvider client={weft}>{page}</WeftProvider>}
    </StrictMode>,
  )
}

const renderWidget = (id: number) => (
  <StoredWidget id={id} version="latest" showDocumentation={false} />
)

const documentationFixture = { draw }
window.documentationFixture = documentationFixture

declare global {
  interface Window {
    documentationFixture: typeof documentationFixture
  }
}
