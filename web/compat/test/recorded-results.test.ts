import { describe, expect, test } from 'vitest'
import * as compat from '../src/index.ts'
import { formatAnswer } from '../src/schema-query.ts'
import { formatMultiple, formatTextSearch } from '../src/search.ts'
import { covered } from './covered.ts'
import { differences } from './differences.ts'
import { encode, loadRecords, type Recording, recordings } from './recorded.ts'
import { openOffline } from './session.ts'

// Compares the recorded results of reads with those of this package. The server is unreachable, so the records come
// from the page.

const known = new Set(Object.keys(differences))

/** Runs the recordings of a group. Those in `differences` must differ, so that the list has no obsolete entry. */
function describeGroup(group: string, run: (recording: Recording) => Promise<unknown>): void {
  describe(group, () => {
    test.each(recordings(group).filter(({ name }) => !(name in covered)))(
      '$name',
      async (recording) => {
        openOffline()
        loadRecords(recording)
        const outcome = await run(recording).then(encode, (e) => ({ threw: String(e) }))
        if (known.has(recording.name)) expect(outcome).not.toEqual(recording.result)
        else expect(outcome).toEqual(recording.result)
      },
    )
  })
}

describeGroup('format', async ({ answer, query }) => {
  const counts = (answer.countinfo ?? []).map((text: string) => text.split('_').map(Number))
  return formatAnswer(
    {
      linkers: answer.linkers,
      reverse: answer.reverse,
      compositionIds: answer.mainCompositionIds,
      conceptIds: answer.conceptIds,
      countInfos: counts.map(([conceptId, connectionTypeId, count]: number[]) => ({
        ...{ conceptId, connectionTypeId, count },
        connectionType: '',
      })),
      order: query.order ?? 'DESC',
    },
    query.outputFormat ?? compat.NORMAL,
  )
})

// Of two calls joined by "then", only the second is run.
describeGroup('composition', ({ call }) => runCall(call.split(' then ').at(-1) ?? ''))

describeGroup('link', async ({ name, call }) => {
  const result = await runCall(call)
  return name === 'link-GetLinkRaw' ? result.map((c: compat.Concept) => c.id) : result
})

describeGroup('search', async ({ name, call, searchResponse, recursive }) => {
  const noIds = { externalConnections: [], mainCompositionIds: [], linkers: [], reverse: [] }
  const ids = { ...noIds, ...searchResponse, ...recursive }
  const format = Number(/, (\d+)\)/.exec(call)?.[1] ?? compat.DATAID)
  const composition = Number(/composition:(\d+)/.exec(call)?.[1])
  if (name.includes('ViewInternalData')) return runCall(call)
  if (name.includes('SearchWithType')) return formatTextSearch(ids, compat.JUSTDATA)
  if (name.includes('GetLinkList')) return formatTextSearch(ids, compat.DATAID)
  if (recursive) return compat.GetCompositionBulkWithDataId(recursive.compositionIds)
  return formatMultiple(ids, [{ composition }], format)
})

const calls: Readonly<Record<string, unknown>> = { ...compat }

/** Runs a recorded call, such as `GetLink(2001, "friend_s")`, or the first result of a listener. */
async function runCall(call: string): Promise<any> {
  const [, name = '', args = '', listener] = /^(\w+)\((.*?)\)(\.subscribe\(cb\))?/.exec(call) ?? []
  const callable = calls[name] as (...args: unknown[]) => any
  const made = callable(...JSON.parse(`[${args}]`))
  if (!listener) {
    const first = await made
    return call.includes('twice')
      ? { first, second: await callable(...JSON.parse(`[${args}]`)) }
      : first
  }
  let data: any
  await made.subscribe((result: any) => {
    data = result
  })
  return data
}
