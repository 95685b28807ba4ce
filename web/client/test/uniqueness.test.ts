import { describe, expect, test } from 'vitest'
import { createConcept } from '../src/graph/index.ts'
import type { Client } from '../src/index.ts'
import { createTakenCheck, validateUnique } from '../src/validate/index.ts'
import { offlineClient, open } from './open.ts'
import { startServer, tokenOf } from './server.ts'

const longText = 'long '.repeat(60)

/**
 * Starts a server with three codes of user ann: the private code "hers", the public code "public", and a long public
 * one.
 */
async function setUp(...flags: string[]): Promise<{ ann: Client; bob: Client; guest: Client }> {
  const url = await startServer('--max-body', '9000', ...flags)
  const [ann, bob] = await Promise.all([tokenOf(url, 'ann'), tokenOf(url, 'bob')])
  const author = open(url, ann)
  await Promise.all([
    createConcept(author, 'the_code', 'hers').synced,
    createConcept(author, 'the_code', 'public', { access: 5 }).synced,
    createConcept(author, 'the_code', longText, { access: 5 }).synced,
  ])
  return { ann: open(url, ann), bob: open(url, bob), guest: open(url) }
}

describe('createTakenCheck', () => {
  test('finds values of all users, including private ones', async () => {
    const { ann, bob, guest } = await setUp()
    for (const client of [ann, bob, guest]) {
      const isTaken = createTakenCheck(client)
      const values = ['hers', 'public', longText, 'free', 'Hers']
      const taken = await Promise.all(values.map((value) => isTaken('the_code', value)))
      expect(taken).toEqual([true, true, true, false, false])
      expect(await isTaken('the_other_code', 'hers')).toBe(false)
    }
    // The check loads no record of another user into the page.
    expect(bob.find('the_code', 'hers')).toBeUndefined()
  })

  test('finds an unsent value without the server', async () => {
    const weft = offlineClient()
    createConcept(weft, 'the_code', 'mine')
    const field = { name: 'code', conceptType: 'code', isUnique: true }
    expect(await validateUnique(field, { value: 'mine' }, createTakenCheck(weft))).toEqual({
      unique: 'Value is not unique',
    })
    await expect(createTakenCheck(weft)('the_code', 'other')).rejects.toMatchObject({
      kind: 'unavailable',
    })
  })

  test("rejects when the server's limit on checks is exceeded", async () => {
    const { bob } = await setUp('--unique-checks', '2')
    const isTaken = createTakenCheck(bob)
    expect([await isTaken('the_code', 'one'), await isTaken('the_code', 'hers')]).toEqual([
      false,
      true,
    ])
    await expect(isTaken('the_code', 'two')).rejects.toThrow('too many attempts; try again in')
  })

  test('finds only readable values on a server that allows no checks', async () => {
    const { ann, bob } = await setUp('--unique-checks', '0')
    const [isTakenForAnn, isTakenForBob] = [createTakenCheck(ann), createTakenCheck(bob)]
    expect(await isTakenForAnn('the_code', 'hers')).toBe(true)
    expect(await isTakenForBob('the_code', 'hers')).toBe(false)
    expect(await isTakenForBob('the_code', 'public')).toBe(true)
  })
})
