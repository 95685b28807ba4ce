import { mkdtempSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'vite'

/**
 * Bundles a program, because Node reads no TypeScript by itself, and calls its `main` with what the command line says.
 * `node run.mjs program.ts …` does so too.
 */
export async function run(entry, args = process.argv.slice(2)) {
  const out = mkdtempSync(join(import.meta.dirname, 'node_modules/.run-'))
  try {
    await build({
      root: dirname(entry),
      configFile: false,
      logLevel: 'error',
      plugins: [whereItWas],
      build: {
        ssr: entry,
        outDir: out,
        target: 'es2023',
        minify: false,
        rolldownOptions: { output: { entryFileNames: 'main.js' } },
      },
    })
    const { main } = await import(pathToFileURL(join(out, 'main.js')).href)
    process.exitCode = await main(args)
  } finally {
    rmSync(out, { recursive: true, force: true })
  }
}

/** A file that asks for its folder means the one it was written in. */
const whereItWas = {
  name: 'where it was',
  transform: (code, id) =>
    /\.(ts|mjs)$/.test(id) && !id.includes('node_modules')
      ? code.replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
      : undefined,
}

if (process.argv[1] === import.meta.filename) {
  const [, , program, ...args] = process.argv
  await run(resolve(program), args)
}
