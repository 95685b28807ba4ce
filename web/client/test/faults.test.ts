import { expect, test } from 'vitest'
import { binary } from '../../e2e/weft.ts'
import { devices } from '../faults/devices.ts'
import { kept } from '../faults/kept.ts'
import { trial } from '../faults/trial.ts'

// `make faults` plays many more, and those of tabs in Chromium.
test.each([1, ...kept.node])('nothing is lost or doubled in seed %i', async (seed) => {
  const { wrong, broken } = await trial(devices, seed, binary)
  expect({ wrong, broken }).toEqual({ wrong: [], broken: undefined })
})
