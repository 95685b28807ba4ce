import { join } from 'node:path'
import { build, type Plugin, type Rolldown } from 'vite'

/** Bundles the script of the sandbox frame as one string that can be inlined into its document. */
export async function bundleFrame(): Promise<string> {
  const output = await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      target: 'es2023',
      lib: {
        entry: join(import.meta.dirname, 'src/frame/main.ts'),
        formats: ['iife'],
        name: 'weftFrame',
      },
      rolldownOptions: { output: { codeSplitting: false } },
    },
  })
  const parts = (output as Rolldown.RolldownOutput[]).flatMap((part) => part.output)
  const [script] = parts.filter((part) => part.type === 'chunk')
  if (script === undefined || parts.length > 1)
    throw new Error(`the frame has ${parts.length} output files instead of one script`)
  // An end tag in the code would end the script element.
  return script.code.replaceAll('</script', '<\\/script')
}

/** A Vite plugin that adds the frame script to the build of a site. The server inlines it into the frame document. */
export function frameScript(): Plugin {
  return {
    name: 'weft-frame',
    apply: 'build',
    async generateBundle() {
      const source = await bundleFrame()
      this.emitFile({ type: 'asset', fileName: 'assets/frame.js', source })
    },
  }
}
