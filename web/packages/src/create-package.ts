import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'rolldown'
import { readManifest, web } from './layout.ts'
import { commonMembers, copyDocuments, writeManifest } from './stage.ts'
import type { PackedPackage } from './tarballs.ts'
import { lockTemplate } from './template-lock.ts'

/**
 * Writes the package `create-weft` to the folder `staged`: one program without dependencies, and its templates, each with a
 * lock file.
 */
export async function stageCreate(staged: string, packed: readonly PackedPackage[]): Promise<void> {
  await build({
    input: join(web, 'create/src/main.ts'),
    platform: 'node',
    logLevel: 'warn',
    output: {
      file: join(staged, 'dist/create.js'),
      format: 'esm',
      banner: '#!/usr/bin/env node',
      comments: false,
    },
  })
  cpSync(join(web, 'create/templates'), join(staged, 'templates'), { recursive: true })
  for (const template of readdirSync(join(staged, 'templates'))) {
    const folder = join(staged, 'templates', template)
    if (!existsSync(join(folder, 'package.json'))) continue
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    writeFileSync(join(folder, 'package-lock.json'), lockTemplate(manifest, packed))
  }
  writeManifest(staged, {
    ...readManifest('create'),
    ...commonMembers('create'),
    bin: { 'create-weft': './dist/create.js' },
    files: ['dist', 'templates'],
  })
  copyDocuments('create', staged)
}
