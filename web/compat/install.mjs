#!/usr/bin/env node
import { copyFileSync, existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'

/*
 * Copies `serviceWorker.bundle.js` into the folder that an application serves: the folder given as argument, or
 * `public` of the application that installs the package. Does nothing if the folder does not exist.
 *
 *   npx weft-compat-worker [folder]
 */
const script = join(import.meta.dirname, 'serviceWorker.bundle.js')
const [named] = process.argv.slice(2).filter((argument) => argument !== '--if-public')
const folder = resolve(process.env.INIT_CWD ?? process.cwd(), named ?? 'public')
const exists = existsSync(folder) && statSync(folder).isDirectory()

if (exists && existsSync(script)) copyFileSync(script, join(folder, 'serviceWorker.bundle.js'))
else if (!process.argv.includes('--if-public')) {
  process.stderr.write(`${folder} is not a folder\n`)
  process.exitCode = 1
}
