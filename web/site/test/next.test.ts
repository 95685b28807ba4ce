import { expect, test } from 'vitest'
import { afterSignIn } from '../src/account/next.ts'

test.each([
  ['/account?tab=keys#new', '/account?tab=keys#new'],
  ['/a/../words', '/words'],
  ['', '/account'],
  ['words', '/account'],
  ['https://elsewhere.example/', '/account'],
  ['javascript:alert(1)', '/account'],
  ['//elsewhere.example', '/account'],
  ['/\\elsewhere.example', '/account'],
  ['/\t/elsewhere.example', '/account'],
  ['/.//elsewhere.example', '/account'],
  ['/a/..//elsewhere.example', '/account'],
  ['/%2e//elsewhere.example', '/account'],
])('who came for %j goes on to %j', (next, to) => {
  const search = `?${new URLSearchParams({ next })}`
  expect(afterSignIn(search, 'https://site.example')).toBe(to)
})
