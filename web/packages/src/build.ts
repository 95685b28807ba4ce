import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { main as buildCompat } from '../../compat/build.ts'
import { compile } from './compile.ts'
import { stageCreate } from './create-package.ts'
import { outputFolder, web } from './layout.ts'
import { buildScriptBundle } from './script-bundle.ts'
import { stageCompiled } from './stage.ts'
import { pack, writeIndex } from './tarballs.ts'

/**
 * Builds everything that applications install or load into `web/packages/dist`, which is embedded in the binary:
 *
 *   packages/*.tgz        tarballs of the packages
 *   packages/index.json   the list of them
 *   client/               the client as modules for pages without a build step
 *
 *   client, react -> compile (tsc) -> stage (package.json, README) -> npm pack
 *   compat        -> its own build: one bundle without dependencies -> npm pack
 *   create        -> rolldown, and its templates -> npm pack
 *   client        -> rolldown -> client/
 *
 * Two builds of the same sources are identical.
 */
export async function main([folder = outputFolder]: string[]): Promise<void> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(folder, 'packages'), { recursive: true })
  // Go can embed the folder only if it contains a file, even before the first build.
  writeFileSync(join(folder, '.keep'), '')
  const staging = mkdtempSync(join(web, 'node_modules/.packages-'))
  const stagedAs = (name: string) => join(staging, name)
  try {
    await buildCompat([stagedAs('compat')])
    const client = compile('client')
    stageCompiled('client', client, stagedAs('client'))
    stageCompiled('react', compile('react'), stagedAs('react'))
    const packages = join(folder, 'packages')
    const packed = ['client', 'react', 'compat'].map((name) => pack(stagedAs(name), packages))
    await stageCreate(stagedAs('create'), packed)
    writeIndex([...packed, pack(stagedAs('create'), packages)], packages)
    await buildScriptBundle(join(folder, 'client'), client)
  } finally {
    rmSync(staging, { recursive: true, force: true })
  }
}
