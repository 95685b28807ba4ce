import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { oneChunkAtOnce } from '../one-chunk.ts'
import { brotli } from '../site/brotli.ts'

// The server serves the build below /console/. The theme script and the icon are those of the site.
export default defineConfig({
  base: '/console/',
  plugins: [react(), brotli()],
  cacheDir: '../node_modules/.vite-console',
  build: {
    assetsInlineLimit: 0,
    target: 'es2023',
    // Browsers that support ES2023 preload modules, except Safari 16, which loads them a little later.
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: { codeSplitting: oneChunkAtOnce(join(import.meta.dirname, 'src/main.tsx')) },
    },
  },
  server: { host: '127.0.0.1', proxy: { '/api': 'http://127.0.0.1:8080' } },
})
