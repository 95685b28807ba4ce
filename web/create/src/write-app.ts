import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Template } from './options.ts'

/** The folders of templates for an application. Files of later folders replace files of earlier ones. */
const partsOf: Readonly<Record<Template, readonly string[]>> = {
  'react-ts': ['common', 'browser', 'react-ts'],
  'vanilla-ts': ['common', 'browser', 'vanilla-ts'],
  node: ['common', 'node'],
}

/** The values of the placeholders `__NAME__` and `__SERVER__` in templates. */
export interface AppValues {
  readonly template: Template
  readonly name: string
  readonly server: string
}

/** Throws if the folder of the new application has files. */
export function checkFolder(folder: string): void {
  if (!existsSync(folder)) return
  if (!statSync(folder).isDirectory()) throw new Error(`${folder} is a file`)
  const [file] = readdirSync(folder).filter((name) => name !== '.git')
  if (file !== undefined) throw new Error(`${folder} is not empty: it has ${file}`)
}

/** Writes the files of an application. */
export function writeApp(folder: string, { template, name, server }: AppValues): void {
  // The program is in the folder dist of its package.
  const templatesFolder = join(dirname(fileURLToPath(import.meta.url)), '../templates')
  for (const part of partsOf[template])
    cpSync(join(templatesFolder, part), folder, { recursive: true })
  for (const file of filesBelow(folder)) {
    const text = readFileSync(file, 'utf8')
    const filled = text.replaceAll('__NAME__', name).replaceAll('__SERVER__', server)
    if (filled !== text) writeFileSync(file, filled)
  }
  // npm leaves files with these names out of tarballs, or renames them.
  for (const file of ['gitignore', 'npmrc'])
    renameSync(join(folder, `_${file}`), join(folder, `.${file}`))
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('.git'))
    .map((entry) => join(entry.parentPath, entry.name))
}
