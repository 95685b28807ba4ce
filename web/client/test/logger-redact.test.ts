import { describe, expect, test } from 'vitest'
import { plain, redact } from '../src/logger/redact.ts'

const jwt = `eyJ${'hbGciOiJIUzI1NiJ9'}.eyJzdWIiOiI3In0.c2lnbmF0dXJl`

describe('secrets are taken out', () => {
  test.each([
    [{ password: 'hunter2' }],
    [{ user: { newPassword: 'hunter2', name: 'Ann' } }],
    [{ list: [[{ accessToken: 'hunter2' }]] }],
    [{ refresh_token: 'hunter2' }],
    [{ headers: { Authorization: 'Bearer hunter2hunter2' } }],
    [{ headers: [['Authorization', 'Bearer hunter2hunter2']] }],
    [{ headers: [['X-Api-Key', 'hunter2']] }],
    [{ form: [{ name: 'password', value: 'hunter2' }] }],
    [{ Cookie: 'session=hunter2' }],
    [{ apiKey: { nested: 'hunter2' } }],
    [{ clientSecret: ['hunter2'] }],
    [{ body: '{"email":"a@b.co","password":"hunter2"}' }],
    [{ body: '[{"password":"hunter2"}]' }],
    [{ body: '{"body":"{\\"password\\":\\"hunter2\\"}"}' }],
    [{ body: 'half of JSON: {"password":"hunter2", "and' }],
    [{ body: 'half of JSON in JSON: {\\"password\\":\\"hunter2\\"' }],
    [{ body: 'email=a%40b.co&password=hunter2&go=1' }],
    [{ functionName: 'signIn', functionParameters: ['a@b.co', 'hunter2'] }],
    [{ functionName: 'LoginToBackend', functionParameters: [['a@b.co', 'hunter2']] }],
    [{ functionName: 'setToken', functionParameters: ['hunter2'] }],
    [{ url: 'https://app.test/reset?token=hunter2#x' }],
    [{ url: 'https://app.test/#access_token=hunter2&x=1' }],
    [{ url: 'https://app.test/callback?code=hunter2' }],
    [{ url: 'https://app.test/?q=%7B%22password%22%3A%22hunter2%22%7D' }],
    [{ url: 'https://ann:hunter2@app.test/' }],
    [{ url: new URL('https://app.test/?token=hunter2') }],
    [{ message: 'the password: hunter2 is wrong' }],
    [{ message: "password = 'hunter2 hunter2'" }],
    [new Error('token=hunter2')],
    [{ error: new Error('failed', { cause: new Error('secret: hunter2') }) }],
  ])('%j', (value) => {
    const text = JSON.stringify(plain(value))
    expect(text).toContain('[redacted]')
    expect(text).not.toMatch(/hunter2|a@b\.co|a%40b\.co/)
  })

  test('whatever they are called: tokens, keys of a server, and what stands behind Bearer and Basic', () => {
    const key = `weft_${'x'.repeat(43)}`
    expect(redact(`got ${jwt}, and ${key}`)).toBe('got [redacted], and [redacted]')
    expect(redact('Authorization was Basic YW5uOmh1bnRlcjI=')).toBe(
      'Authorization was Basic [redacted]',
    )
    expect(redact('curl -H "x: bearer abc.def-123"')).toBe('curl -H "x: bearer [redacted]"')
  })

  test('who signs in is told no more than how; elsewhere an e-mail stays', () => {
    expect(plain({ email: 'a@b.co', password: 'x', page: 'home' })).toEqual({
      email: '[redacted]',
      password: '[redacted]',
      page: 'home',
    })
    expect(plain({ email: 'a@b.co', inside: { token: 'x' } })).toMatchObject({
      email: '[redacted]',
    })
    expect(plain({ user: 'Ann', note: 'of a@b.co', pwd: 'x' })).toEqual({
      user: '[redacted]',
      note: 'of [redacted]',
      pwd: '[redacted]',
    })
    expect(redact('login failed for a@b.co')).toBe('login failed for [redacted]')
    expect(plain({ email: 'a@b.co', page: 'home' })).toEqual({ email: 'a@b.co', page: 'home' })
    expect(redact('a mail to a@b.co')).toBe('a mail to a@b.co')
  })

  test('and nothing else', () => {
    const text = 'a compass, a passenger, and 3 keys: one, two; see https://app.test/a?page=2&q=x'
    expect(redact(text)).toBe(text)
    const value = { a: [1, 'two', null, true, { b: '' }], url: text, n: 1.5 }
    expect(plain(value)).toEqual(value)
  })

  test('one that is cut in the middle is gone as well', () => {
    for (const before of [7_980, 7_990, 7_995, 3_985, 3_990, 3_995]) {
      const clean = redact(`${'x'.repeat(before)} password=hunter2hunter2`)
      expect(clean).not.toContain('hun')
    }
  })
})

describe('whatever is logged becomes plain data', () => {
  test('that goes in circles', () => {
    const value: { a: number; self?: unknown } = { a: 1 }
    value.self = { inside: [value] }
    expect(plain(value)).toEqual({ a: 1, self: { inside: ['[circular]'] } })
    const shared = { x: 1 }
    expect(plain([shared, shared])).toEqual([{ x: 1 }, { x: 1 }])
  })

  test('errors say what they are, dates when, addresses where', () => {
    const error = Object.assign(new TypeError('no'), { kind: 'invalid' })
    expect(plain(error)).toEqual({
      message: 'no',
      stack: expect.stringContaining('TypeError: no'),
      kind: 'invalid',
    })
    expect(plain(new Date(0))).toBe('1970-01-01T00:00:00.000Z')
    expect(plain(new URL('https://a.test/b'))).toBe('https://a.test/b')
  })

  test('what has no JSON', () => {
    const value = { big: 12n, f: () => 1, s: Symbol('s'), u: undefined, nan: Number.NaN }
    expect(JSON.stringify(plain(value))).toBe('{"big":"12","nan":null}')
    expect(JSON.stringify(plain({ bytes: new Uint8Array(1e6) }))).toBe('{"bytes":"[clipped]"}')
    const odd = {
      ok: 1,
      inside: {
        get x(): never {
          throw new Error('no')
        },
      },
    }
    expect(plain(odd)).toEqual({ ok: 1, inside: 'Error while serializing value' })
    const proto = JSON.parse('{"__proto__":{"x":1}}')
    expect(JSON.stringify(plain(proto))).toBe('{"__proto__":{"x":1}}')
  })

  test('of a limited size, whatever its shape', () => {
    let deep: unknown = 'x'
    for (let i = 0; i < 10_000; i++) deep = { deep }
    const sizes = [
      'x'.repeat(1e6),
      Array.from({ length: 1e5 }, (_, i) => `text ${i}`),
      Object.fromEntries(Array.from({ length: 1e4 }, (_, i) => [`key ${i}`, i])),
      { [`${'k'.repeat(1e6)}`]: 'x' },
      JSON.stringify({ text: 'y'.repeat(7_000) }),
      Array.from({ length: 100 }, () => 'z'.repeat(1e4)),
      deep,
    ].map((value) => JSON.stringify(plain({ value })).length)
    for (const size of sizes) expect(size).toBeLessThan(20_000)
  })
})
