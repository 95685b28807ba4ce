import { expect, onTestFinished, test } from 'vitest'
import { binary } from '../../e2e/weft.ts'
import { devices } from '../faults/devices.ts'
import type { Form } from '../faults/form.ts'
import { kept } from '../faults/kept.ts'
import { pages } from '../faults/pages.ts'
import { trial } from '../faults/trial.ts'

// `make faults` plays many more.
test('nothing is lost or doubled by devices, whatever fails', async () => {
  expect(await played(devices, [1])).toEqual([])
})

test('nothing that was saved is lost or doubled by tabs, whatever fails', async () => {
  const form = await pages()
  onTestFinished(() => form.end())
  expect(await played(form, [1, 2])).toEqual([])
})

/** What went wrong, also in seeds that once failed, with how to see it again. */
async function played(form: Form, seeds: number[]): Promise<string[]> {
  const all = [...new Set([...seeds, ...kept[form.name]])]
  const outcomes = await Promise.all(all.map((seed) => trial(form, seed, binary)))
  return outcomes.flatMap(({ seed, wrong }) => wrong.map((one) => `${form.name} ${seed}: ${one}`))
}
