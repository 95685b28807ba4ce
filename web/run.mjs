import { mkdtempSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'vite'

/**
 * Bundles a TypeScript program and calls its `main` with the arguments. Also available as `node run.mjs program.ts …`.
 */
export async function run(entry, args = process.argv.slice(2)) {
  const out = mkdtempSync(join(import.meta.dirname, 'node_modules/.run-'))
  try {
    await build({
      root: dirname(entry),
      configFile: false,
      logLevel: 'error',
      plugins: [keepDirname],
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

/** Replaces `import.meta.dirname` by the folder of the source file, because the bundle is in another folder. */
const keepDirname = {
  name: 'keep-dirname',
  transform: (code, id) =>
    /\.(ts|mjs)$/.test(id) && !id.includes('node_modules')
      ? code.replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
      : undefined,
}

if (process.argv[1] === import.meta.filename) {
  const [, , program, ...args] = process.argv
  await run(resolve(program), args)
}
