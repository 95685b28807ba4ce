import { expect, test } from 'vitest'
import { redirectAfterSignIn } from '../src/account/sign-in-redirect.ts'

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
])('redirects a sign-in with next=%j to %j', (next, to) => {
  const search = `?${new URLSearchParams({ next })}`
  expect(redirectAfterSignIn(search, 'https://site.example')).toBe(to)
})
