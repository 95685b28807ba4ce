import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { brotli } from '../site/brotli.ts'

// The server serves the build below /console/. The theme script and the icon are those of the site.
export default defineConfig({
  base: '/console/',
  plugins: [react(), brotli()],
  cacheDir: '../node_modules/.vite-console',
  build: { assetsInlineLimit: 0, target: 'es2023' },
  server: { host: '127.0.0.1', proxy: { '/api': 'http://127.0.0.1:8080' } },
})
