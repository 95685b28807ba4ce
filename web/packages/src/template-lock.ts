import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { web } from './layout.ts'
import type { PackedPackage } from './tarballs.ts'

/** An entry of a package-lock.json, by its path such as `node_modules/react`. */
interface LockEntry {
  readonly dependencies?: Names
  readonly optionalDependencies?: Names
  readonly peerDependencies?: Names
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
  readonly [member: string]: unknown
}

type Names = Readonly<Record<string, string>>

interface AppManifest {
  readonly name: string
  readonly version: string
  readonly dependencies: Names
  readonly devDependencies: Names
}

/**
 * Returns the package-lock.json of a template. It contains the versions of this repository's lock file, so that a new
 * application gets the versions that the tests have used. It also contains the packages of this build; their URLs
 * contain the placeholder for the server.
 */
export function lockTemplate(manifest: AppManifest, packed: readonly PackedPackage[]): string {
  const { name, version, dependencies, devDependencies } = manifest
  const known = { ...lockedEntries(), ...ownEntries(packed) }
  const shipped = entriesReached(known, Object.keys(dependencies))
  const all = entriesReached(known, [...Object.keys(dependencies), ...Object.keys(devDependencies)])
  const entries = [...all].sort().map((path) => {
    const { dev, peer, devOptional, ...entry } = known[path] ?? {}
    return [path, shipped.has(path) ? entry : { ...entry, dev: true }] as const
  })
  const root = { name, version, dependencies, devDependencies }
  const packages = { '': root, ...Object.fromEntries(entries) }
  const lock = { name, version, lockfileVersion: 3, requires: true, packages }
  return `${JSON.stringify(lock, null, 2)}\n`
}

function lockedEntries(): Record<string, LockEntry> {
  const lock = JSON.parse(readFileSync(join(web, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockEntry>
  }
  return lock.packages
}

function ownEntries(packed: readonly PackedPackage[]): Record<string, LockEntry> {
  const entries = packed.map(({ file, integrity, manifest }) => {
    const { name, version, license, dependencies, peerDependencies, peerDependenciesMeta } =
      manifest
    const resolved = `__SERVER__/packages/${file}`
    const names = { dependencies, peerDependencies, peerDependenciesMeta }
    return [`node_modules/${name}`, { version, resolved, integrity, license, ...names }] as const
  })
  return Object.fromEntries(entries) as Record<string, LockEntry>
}

/** Returns the paths of packages and of everything that they need. Throws if one of them is missing from the lock file. */
function entriesReached(
  known: Readonly<Record<string, LockEntry>>,
  names: readonly string[],
): ReadonlySet<string> {
  const reached = new Set<string>()
  const visit = (from: string, name: string, isOptional: boolean) => {
    const path = resolve(known, from, name)
    if (path === undefined && !isOptional) throw new Error(`the lock file has no ${name}`)
    if (path === undefined || reached.has(path)) return
    reached.add(path)
    const { dependencies, optionalDependencies, peerDependencies, ...entry } = known[path] ?? {}
    for (const needed of Object.keys(dependencies ?? {})) visit(path, needed, false)
    for (const needed of Object.keys(optionalDependencies ?? {})) visit(path, needed, true)
    for (const needed of Object.keys(peerDependencies ?? {}))
      if (!entry.peerDependenciesMeta?.[needed]?.optional) visit(path, needed, false)
  }
  for (const name of names) visit('', name, false)
  return reached
}

/** Returns the path of the package that a module of the package `from` imports as `name`. */
function resolve(
  known: Readonly<Record<string, LockEntry>>,
  from: string,
  name: string,
): string | undefined {
  const path = `${from && `${from}/`}node_modules/${name}`
  if (known[path]) return path
  return from === '' ? undefined : resolve(known, parentOf(from), name)
}

/**
 * Returns the path of the package that has the given package in its `node_modules`; an empty path for
 * `node_modules/react`.
 */
const parentOf = (path: string): string =>
  path.slice(0, Math.max(path.lastIndexOf('/node_modules/'), 0))
