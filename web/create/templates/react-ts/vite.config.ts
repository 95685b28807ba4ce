import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { serviceWorker } from './service-worker.ts'

export default defineConfig({ plugins: [react(), serviceWorker()] })
