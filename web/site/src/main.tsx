import { createPages, firstPage } from '@weft/react/page'
import { StrictMode } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router'
import { App, slugAt } from './app.tsx'
import { keepForOffline } from './offline.ts'

const container = document.getElementById('app')
if (container === null) throw new Error('index.html has no #app')

const first = firstPage(container)
const app = (
  <StrictMode>
    <BrowserRouter>
      <App pages={createPages(location.origin, first)} />
    </BrowserRouter>
  </StrictMode>
)
// React takes over what the server has sent, unless a cache has sent the document of another address.
if (first?.page.slug === slugAt(location.pathname)) hydrateRoot(container, app)
else createRoot(container).render(app)

keepForOffline()
