import { WeftProvider } from '@weft/react'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { weft } from './weft.ts'

createRoot(document.getElementById('app') as HTMLElement).render(
  <StrictMode>
    <WeftProvider client={weft}>
      <App />
    </WeftProvider>
  </StrictMode>,
)
