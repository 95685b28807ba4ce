import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The folder `web`, which contains the workspace packages. */
export const web = join(import.meta.dirname, '../..')

/** The folder that `web/web.go` embeds in the binary. */
export const outputFolder = join(web, 'packages/dist')

/** The part of a package.json that the build reads. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly exports?: Readonly<Record<string, string>>
  readonly [member: string]: unknown
}

/** Reads the package.json of a workspace package, such as `client`. */
export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(web, folder, 'package.json'), 'utf8')) as Manifest
}

/**
 * Returns the published entries of a workspace package and their source files relative to it: `./graph` and
 * `./src/graph/index.ts`. They include `./internal`, which only `@weft/react` uses; it has no documentation and may
 * change with every version.
 */
export function publishedEntries(folder: string): readonly (readonly [string, string])[] {
  const { exports = {} } = readManifest(folder)
  return Object.entries(exports)
}
