import { describe, expect, onTestFinished, test } from 'vitest'
import { startWeft } from '../../e2e/weft.ts'
import { createClient } from '../src/index.ts'
import { createAnomalyCheck } from '../src/validate/index.ts'

describe("values are compared with the server's statistics", () => {
  test('one at a time, several together, and synchronously', async () => {
    const { weft, countFetches } = await startWithPeople()
    const anomalies = createAnomalyCheck(weft)
    expect(anomalies.checkNow('forename', 'Ann')).toEqual({ valid: false, warnings: [] })
    expect(anomalies.checkNow('forename', '')).toEqual({ valid: false, warnings: ['Null value'] })
    const valid = {
      valid: true,
      warnings: ['Concept the_forename is valid. Length: 3, Type: textOnly'],
    }
    expect(await anomalies.check('forename', 'Zoe')).toEqual(valid)
    expect(anomalies.checkNow('the_forename', 'Zoe')).toEqual(valid)
    expect(
      await anomalies.checkAll({
        forename: '12',
        the_forename: 'Zoe',
        mail: 'a@b.co',
        zip: '1',
        x: null,
      }),
    ).toEqual({
      forename: {
        valid: false,
        warnings: ["Type mismatch for '12'. Expected types: textOnly, detected type: number."],
      },
      the_forename: valid,
      mail: { valid: true, warnings: ['Concept the_mail is valid. Length: 6, Type: email'] },
      zip: { valid: false, warnings: ['No concept details found for type: the_zip'] },
      x: { valid: false, warnings: ['Null value'] },
    })
    expect(countFetches()).toBe(1)
  })

  test('with the last loaded statistics while the server is unavailable', async () => {
    const { weft, server, countFetches } = await startWithPeople()
    const anomalies = createAnomalyCheck(weft, 0)
    expect((await anomalies.check('forename', 'Ann')).valid).toBe(true)
    await server.kill()
    expect((await anomalies.check('forename', 'Ann')).valid).toBe(true)
    expect(countFetches()).toBe(2)
    const withoutStatistics = createAnomalyCheck(weft)
    await expect(withoutStatistics.check('forename', 'Ann')).rejects.toMatchObject({
      name: 'WeftError',
      kind: 'unavailable',
      message: 'anomaly statistics are not available',
    })
    await server.start()
    expect((await withoutStatistics.check('forename', 'Ann')).valid).toBe(true)
  })
})

/** Starts a server with two people. Returns a client that counts the calls of its fetch. */
async function startWithPeople() {
  const server = await startWeft()
  const client = createClient({ url: server.url, storage: 'memory' })
  onTestFinished(() => client.close())
  for (const [forename, mail] of [
    ['Ann', 'a@b.co'],
    ['Betty', 'b@b.co'],
  ] as const)
    await client.create('the_person', { forename, mail }).synced
  let fetches = 0
  const weft = {
    fetch(path: string) {
      fetches++
      return client.fetch(path)
    },
  }
  return { weft, server, countFetches: () => fetches }
}
