import { mkdirSync, rmSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { installPackages, packageManager } from './install.ts'
import { type Options, readOptions, templates, usage } from './options.ts'
import { checkServer } from './server.ts'
import { UsageError } from './usage-error.ts'
import { checkFolder, writeApp } from './write-app.ts'

/*
 * Creates an application:
 *
 *   read the options -> ask for missing ones -> check the server and the folder -> write the files -> install
 *
 * All checks come before the first file is written, so that a failed check leaves no files.
 */

process.exitCode = await main(process.argv.slice(2))

/** Runs the program and returns its exit code: 0, 1 if it failed, 2 for a malformed command line. */
async function main(args: readonly string[]): Promise<number> {
  try {
    const options = readOptions(args)
    if (options === 'help') {
      print(usage)
      return 0
    }
    await create(await completeOptions(options))
    return 0
  } catch (error) {
    if (!(error instanceof Error)) throw error
    process.stderr.write(`create-weft: ${error.message}\n`)
    return error instanceof UsageError ? 2 : 1
  }
}

async function create({ folder, template, server, install }: Required<Options>): Promise<void> {
  const target = resolve(folder)
  checkFolder(target)
  await checkServer(server)
  mkdirSync(target, { recursive: true })
  writeApp(target, { template, server, name: packageName(basename(target)) })
  print(`Created ${folder} from the template ${template}. It uses the server at ${server}.`)
  const manager = packageManager()
  if (manager !== 'npm') rmSync(join(target, 'package-lock.json'))
  if (install) installPackages(manager, target, server)
  const start = template === 'node' ? 'start' : 'dev'
  const steps = [
    `cd ${folder}`,
    ...(install ? [] : [`${manager} install`]),
    `${manager} run ${start}`,
  ]
  print(`\nNext:\n${steps.map((step) => `  ${step}`).join('\n')}`)
}

/** Asks for the folder and the template if they are missing and the program runs on a terminal. */
async function completeOptions(options: Options): Promise<Required<Options>> {
  const { folder, template } = options
  if ((folder && template) || !process.stdin.isTTY)
    return { ...options, folder: folder ?? 'weft-app', template: template ?? 'react-ts' }
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    const chosenFolder = folder ?? ((await terminal.question('Folder (weft-app): ')) || 'weft-app')
    const question = `Template, one of ${templates.join(', ')} (react-ts): `
    const answer = template ?? ((await terminal.question(question)) || 'react-ts')
    const chosen = templates.find((name) => name === answer)
    if (!chosen) throw new UsageError(`unknown template "${answer}"`)
    return { ...options, folder: chosenFolder, template: chosen }
  } finally {
    terminal.close()
  }
}

/** Returns the name of a folder in a form that npm accepts as the name of a package. */
function packageName(folder: string): string {
  const name = folder.toLowerCase().replace(/[^a-z0-9-]+/g, '-')
  return name.replace(/^-+|-+$/g, '') || 'weft-app'
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
