import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A tarball, and the data of its version for a registry. */
export interface PackedPackage {
  readonly file: string
  /** Subresource integrity of the tarball, SHA-512. */
  readonly integrity: string
  /** SHA-1 of the tarball in hexadecimal, which older package managers compare. */
  readonly shasum: string
  readonly unpackedSize: number
  readonly manifest: Readonly<Record<string, unknown>>
}

/** Writes `index.json`, the list of all tarballs, from which the server creates the documents of an npm registry. */
export function writeIndex(packed: readonly PackedPackage[], outputFolder: string): void {
  writeFileSync(join(outputFolder, 'index.json'), `${JSON.stringify(packed, null, 1)}\n`)
}

/** Packs a staged package with npm. The same files always give the same tarball. */
export function pack(folder: string, outputFolder: string): PackedPackage {
  const flags = ['--json', '--ignore-scripts', '--silent', '--pack-destination', outputFolder]
  const output = execFileSync('npm', ['pack', folder, ...flags], { encoding: 'utf8', cwd: folder })
  const report = JSON.parse(output) as PackReport[] | Record<string, PackReport>
  const [packed] = Object.values(report)
  if (packed === undefined) throw new Error(`npm packed nothing from ${folder}`)
  const { filename: file, unpackedSize } = packed
  const bytes = readFileSync(join(outputFolder, file))
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as object
  return {
    file,
    integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
    shasum: createHash('sha1').update(bytes).digest('hex'),
    unpackedSize,
    manifest: { ...manifest },
  }
}

/** The members of the report of `npm pack` that are used here. */
interface PackReport {
  readonly filename: string
  readonly unpackedSize: number
}
