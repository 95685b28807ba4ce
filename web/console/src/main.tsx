import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { rooms } from './rooms.ts'
import { Shell } from './shell/shell.tsx'
import './styles/console.css'

const root = document.getElementById('app')
if (root)
  createRoot(root).render(
    <StrictMode>
      <Shell rooms={rooms} />
    </StrictMode>,
  )
