import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const web = join(import.meta.dirname, '../..')

/**
 * Maximum number of types that the compiler may instantiate for `types/typed-client.ts`, which has some 50 queries over
 * a schema of five types. A family of types that walks through the whole schema would need millions.
 */
const maxInstantiations = 150_000

test('the typed client refuses wrong programs, at a bounded cost of type checking', () => {
  const options = ['--ignoreConfig', '--noEmit', '--strict', '--noUncheckedIndexedAccess']
  const module = ['--target', 'es2023', '--module', 'esnext', '--moduleResolution', 'bundler']
  const more = ['--allowImportingTsExtensions', '--skipLibCheck', '--types', 'node']
  const program = join(import.meta.dirname, 'types/typed-client.ts')
  const output = execFileSync(
    join(web, 'node_modules/.bin/tsc'),
    [...options, ...module, ...more, '--singleThreaded', '--extendedDiagnostics', program],
    { encoding: 'utf8' },
  )
  const instantiations = Number(/Instantiations:\s*([\d,]+)/.exec(output)?.[1]?.replaceAll(',', ''))
  expect(instantiations).toBeGreaterThan(1_000)
  expect(instantiations).toBeLessThan(maxInstantiations)
})
