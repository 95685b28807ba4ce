import { join } from 'node:path'
import { build, type Plugin, type Rolldown } from 'vite'

/** The script of the document that sandboxed widgets live in, as one text to write into it. */
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
  if (script === undefined || parts.length > 1) throw new Error('the frame is not one script')
  // Inside an element, this would end it.
  return script.code.replaceAll('</script', '<\\/script')
}

/** Puts the frame's script beside what a site is built to. The server writes it into the document. */
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
