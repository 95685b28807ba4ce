import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as compat from '../src/index.ts'
import type * as contract from './contract.d.ts'

// These declarations make the compiler check that programs written for the wire contract compile against this package:
// each value of this package must be assignable to the value of the same name in the contract, and each type likewise.
const values: typeof contract = compat

type Accepts<Theirs, _Ours extends Theirs> = true
export type Types = [
  Accepts<contract.FreeschemaResponse, compat.FreeschemaResponse>,
  Accepts<contract.InnerActions, compat.InnerActions>,
  Accepts<contract.SigninModel, compat.SigninModel>,
  Accepts<contract.SignupModel, compat.SignupModel>,
  Accepts<compat.InnerActions, contract.InnerActions>,
  Accepts<compat.SigninModel, contract.SigninModel>,
  Accepts<compat.SignupModel, contract.SignupModel>,
]

/** Returns the names that the declaration file exports, by the kind of declaration. */
function declared(kinds: string): string[] {
  const text = readFileSync(join(import.meta.dirname, 'contract.d.ts'), 'utf8')
  const pattern = new RegExp(`^export (?:declare )?(?:${kinds}) (\\w+)`, 'gm')
  return [...text.matchAll(pattern)].map(([, name = '']) => name)
}

test('has all 211 names of the contract', () => {
  expect(declared('const|class|function|interface')).toHaveLength(211)
  const missing = declared('const|class|function').filter((name) => !(name in values))
  expect(missing).toEqual([])
})

test('exports nothing beyond the contract', () => {
  const listed = new Set(declared('const|class|function'))
  expect(Object.keys(values).filter((name) => !listed.has(name))).toEqual([])
})

test('classes have the static members of the contract', () => {
  const text = readFileSync(join(import.meta.dirname, 'contract.d.ts'), 'utf8')
  const classes = text.matchAll(/^export declare class (\w+)[^{]*\{(.*?)^\}/gms)
  const missing = [...classes].flatMap(([, name = '', body = '']) => {
    const ours = values[name as keyof typeof values] as object
    const members = [...body.matchAll(/^\s+static (\w+)/gm)].map(([, member = '']) => member)
    return members.filter((member) => !(member in ours)).map((member) => `${name}.${member}`)
  })
  expect(missing).toEqual([])
})
