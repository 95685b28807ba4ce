import { describe, expect, test } from 'vitest'
import { redactText, redactValue } from '../src/logger/redact.ts'

const jwt = `eyJ${'hbGciOiJIUzI1NiJ9'}.eyJzdWIiOiI3In0.c2lnbmF0dXJl`

describe('secrets are redacted', () => {
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
    const text = JSON.stringify(redactValue(value))
    expect(text).toContain('[redacted]')
    expect(text).not.toMatch(/hunter2|a@b\.co|a%40b\.co/)
  })

  test('even without a name: tokens, API keys, and credentials after Bearer and Basic', () => {
    const key = `weft_${'x'.repeat(43)}`
    expect(redactText(`got ${jwt}, and ${key}`)).toBe('got [redacted], and [redacted]')
    expect(redactText('Authorization was Basic YW5uOmh1bnRlcjI=')).toBe(
      'Authorization was Basic [redacted]',
    )
    expect(redactText('curl -H "x: bearer abc.def-123"')).toBe('curl -H "x: bearer [redacted]"')
  })

  test('the e-mail address of a user who signs in is redacted, but other addresses are kept', () => {
    expect(redactValue({ email: 'a@b.co', password: 'x', page: 'home' })).toEqual({
      email: '[redacted]',
      password: '[redacted]',
      page: 'home',
    })
    expect(redactValue({ email: 'a@b.co', inside: { token: 'x' } })).toMatchObject({
      email: '[redacted]',
    })
    expect(redactValue({ user: 'Ann', note: 'of a@b.co', pwd: 'x' })).toEqual({
      user: '[redacted]',
      note: 'of [redacted]',
      pwd: '[redacted]',
    })
    expect(redactText('login failed for a@b.co')).toBe('login failed for [redacted]')
    expect(redactValue({ email: 'a@b.co', page: 'home' })).toEqual({
      email: 'a@b.co',
      page: 'home',
    })
    expect(redactText('a mail to a@b.co')).toBe('a mail to a@b.co')
  })

  test('other text is kept', () => {
    const text = 'a compass, a passenger, and 3 keys: one, two; see https://app.test/a?page=2&q=x'
    expect(redactText(text)).toBe(text)
    const value = { a: [1, 'two', null, true, { b: '' }], url: text, n: 1.5 }
    expect(redactValue(value)).toEqual(value)
  })

  test('a secret that is clipped in the middle is also redacted', () => {
    for (const before of [7_980, 7_990, 7_995, 3_985, 3_990, 3_995]) {
      const clean = redactText(`${'x'.repeat(before)} password=hunter2hunter2`)
      expect(clean).not.toContain('hun')
    }
  })
})

describe('logged values become plain data', () => {
  test('even if they contain circular references', () => {
    const value: { a: number; self?: unknown } = { a: 1 }
    value.self = { inside: [value] }
    expect(redactValue(value)).toEqual({ a: 1, self: { inside: ['[circular]'] } })
    const shared = { x: 1 }
    expect(redactValue([shared, shared])).toEqual([{ x: 1 }, { x: 1 }])
  })

  test('errors, dates and URLs keep their content', () => {
    const error = Object.assign(new TypeError('no'), { kind: 'invalid' })
    expect(redactValue(error)).toEqual({
      message: 'no',
      stack: expect.stringContaining('TypeError: no'),
      kind: 'invalid',
    })
    expect(redactValue(new Date(0))).toBe('1970-01-01T00:00:00.000Z')
    expect(redactValue(new URL('https://a.test/b'))).toBe('https://a.test/b')
  })

  test('even if they have no JSON form', () => {
    const value = { big: 12n, f: () => 1, s: Symbol('s'), u: undefined, nan: Number.NaN }
    expect(JSON.stringify(redactValue(value))).toBe('{"big":"12","nan":null}')
    expect(JSON.stringify(redactValue({ bytes: new Uint8Array(1e6) }))).toBe(
      '{"bytes":"[clipped]"}',
    )
    const odd = {
      ok: 1,
      inside: {
        get x(): never {
          throw new Error('no')
        },
      },
    }
    expect(redactValue(odd)).toEqual({ ok: 1, inside: 'Error while serializing value' })
    const proto = JSON.parse('{"__proto__":{"x":1}}')
    expect(JSON.stringify(redactValue(proto))).toBe('{"__proto__":{"x":1}}')
  })

  test('and their size is limited, whatever their shape', () => {
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
    ].map((value) => JSON.stringify(redactValue({ value })).length)
    for (const size of sizes) expect(size).toBeLessThan(20_000)
  })
})
