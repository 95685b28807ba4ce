import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { frameScript } from '../react/frame-bundle.ts'
import { brotli } from './brotli.ts'

// The server fills the placeholders of index.html. The service worker reads the manifest to find the assets to store.
export default defineConfig({
  plugins: [react(), frameScript(), brotli()],
  cacheDir: '../node_modules/.vite',
  build: { manifest: 'assets/manifest.json', assetsInlineLimit: 0 },
  server: { host: '127.0.0.1', proxy: { '/api': 'http://127.0.0.1:8080' } },
})
