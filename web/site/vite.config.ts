import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { frameScript } from '../react/frame-bundle.ts'
import { brotli } from './brotli.ts'

// The server fills index.html, and the service worker reads the manifest to know what to keep.
export default defineConfig({
  plugins: [react(), frameScript(), brotli()],
  cacheDir: '../node_modules/.vite',
  build: { manifest: 'assets/manifest.json', assetsInlineLimit: 0 },
  server: { host: '127.0.0.1', proxy: { '/api': 'http://127.0.0.1:8080' } },
})
