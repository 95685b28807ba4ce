import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress } from 'node:zlib'
import type { Plugin } from 'vite'

/** Writes a Brotli-compressed copy of each script and style sheet, for the server to send. */
export function brotli(): Plugin {
  return {
    name: 'weft-brotli',
    apply: 'build',
    async writeBundle({ dir = '' }, bundle) {
      const compressible = Object.keys(bundle).filter((name) => /\.(js|css)$/.test(name))
      await Promise.all(compressible.map((name) => compress(join(dir, name))))
    },
  }
}

async function compress(file: string): Promise<void> {
  await writeFile(`${file}.br`, await promisify(brotliCompress)(await readFile(file)))
}
