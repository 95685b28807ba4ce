import type { Platform } from './platform.ts'

/** Seeds that have lost or doubled a write. `make faults` and the unit tests run them again. */
export const regressionSeeds: Readonly<Record<Platform['name'], number[]>> = {
  node: [],
  chromium: [3, 7, 15, 18, 65],
}
