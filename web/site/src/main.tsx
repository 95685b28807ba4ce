import { createPages, firstPage } from '@weft/react/page'
import { StrictMode } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { keepForOffline } from './offline.ts'
import { slugOf } from './place.ts'

const container = document.getElementById('app')
if (container === null) throw new Error('index.html has no #app')

const first = firstPage(container)
const start = first && { slug: first.page.slug, path: slugOf(location.pathname) }
const app = (
  <StrictMode>
    <App pages={createPages(location.origin, first)} start={start} />
  </StrictMode>
)
if (first === undefined) createRoot(container).render(app)
else hydrateRoot(container, app)

keepForOffline()
