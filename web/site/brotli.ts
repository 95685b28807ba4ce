import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress } from 'node:zlib'
import type { Plugin } from 'vite'

/** Puts beside each text of the build the same as small as it gets, for the server to send. */
export function brotli(): Plugin {
  return {
    name: 'weft-brotli',
    apply: 'build',
    async writeBundle({ dir = '' }, bundle) {
      const texts = Object.keys(bundle).filter((name) => /\.(js|css)$/.test(name))
      await Promise.all(texts.map((name) => compress(join(dir, name))))
    },
  }
}

async function compress(file: string): Promise<void> {
  await writeFile(`${file}.br`, await promisify(brotliCompress)(await readFile(file)))
}
