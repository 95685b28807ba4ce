import { join } from 'node:path'
import { run } from '../../run.mjs'

await run(join(import.meta.dirname, 'beside.ts'))
