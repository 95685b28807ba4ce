import { expect, test } from 'vitest'
import { binary } from '../../e2e/weft.ts'
import { nodePlatform } from '../faults/node-platform.ts'
import { regressionSeeds } from '../faults/regression-seeds.ts'
import { runTrial } from '../faults/trial.ts'

// `make faults` runs many more seeds, and also uses tabs in Chromium.
test.each([1, ...regressionSeeds.node])('no write is lost or doubled in seed %i', async (seed) => {
  const { wrong, broken } = await runTrial(nodePlatform, seed, binary)
  expect({ wrong, broken }).toEqual({ wrong: [], broken: undefined })
})
