import { createPages, firstPage } from '@weft/react/page'
import { StrictMode } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router'
import { App } from './app.tsx'
import { keepForOffline } from './offline.ts'

const container = document.getElementById('app')
if (container === null) throw new Error('index.html has no #app')

// When the server has sent the page with the document, React takes over what is already shown.
const first = firstPage(container)
const app = (
  <StrictMode>
    <BrowserRouter>
      <App pages={createPages(location.origin, first)} />
    </BrowserRouter>
  </StrictMode>
)
if (first === undefined) createRoot(container).render(app)
else hydrateRoot(container, app)

keepForOffline()
