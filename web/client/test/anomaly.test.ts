import { describe, expect, onTestFinished, test } from 'vitest'
import { startWeft } from '../../e2e/weft.ts'
import { createClient } from '../src/index.ts'
import { anomalyCheck } from '../src/validate/index.ts'

describe('values are compared with what the server says is usual', () => {
  test('one by one, several, and at once', async () => {
    const { weft, asked } = await people()
    const anomalies = anomalyCheck(weft)
    expect(anomalies.checkNow('name', 'Ann')).toEqual({ valid: false, warnings: [] })
    expect(anomalies.checkNow('name', '')).toEqual({ valid: false, warnings: ['Null value'] })
    const good = {
      valid: true,
      warnings: ['Concept the_name is valid. Length: 3, Type: textOnly'],
    }
    expect(await anomalies.check('name', 'Zoe')).toEqual(good)
    expect(anomalies.checkNow('the_name', 'Zoe')).toEqual(good)
    expect(
      await anomalies.checkAll({ name: '12', the_name: 'Zoe', mail: 'a@b.co', zip: '1', x: null }),
    ).toEqual({
      name: {
        valid: false,
        warnings: ["Type mismatch for '12'. Expected types: textOnly, detected type: number."],
      },
      the_name: good,
      mail: { valid: true, warnings: ['Concept the_mail is valid. Length: 6, Type: email'] },
      zip: { valid: false, warnings: ['No concept details found for type: the_zip'] },
      x: { valid: false, warnings: ['Null value'] },
    })
    expect(asked()).toBe(1)
  })

  test('as it was told last, where the server does not answer', async () => {
    const { weft, server, asked } = await people()
    const anomalies = anomalyCheck(weft, 0)
    expect((await anomalies.check('name', 'Ann')).valid).toBe(true)
    await server.kill()
    expect((await anomalies.check('name', 'Ann')).valid).toBe(true)
    expect(asked()).toBe(2)
    const later = anomalyCheck(weft)
    await expect(later.check('name', 'Ann')).rejects.toMatchObject({
      name: 'WeftError',
      kind: 'unavailable',
      message: 'nobody can say what is normal',
    })
    await server.start()
    expect((await later.check('name', 'Ann')).valid).toBe(true)
  })
})

/** A server that knows some people, and a way to ask it that counts how often it is asked. */
async function people() {
  const server = await startWeft()
  const client = createClient({ url: server.url, storage: 'memory' })
  onTestFinished(() => client.close())
  for (const [name, mail] of [
    ['Ann', 'a@b.co'],
    ['Betty', 'b@b.co'],
  ] as const)
    await client.create('the_person', { name, mail }).synced
  let asked = 0
  const weft = {
    fetch(path: string) {
      asked++
      return client.fetch(path)
    },
  }
  return { weft, server, asked: () => asked }
}
