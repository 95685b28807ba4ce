import { defineConfig } from 'vite'
import { serviceWorker } from './service-worker.ts'

export default defineConfig({ plugins: [serviceWorker()] })
