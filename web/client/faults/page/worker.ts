import { serve } from '../../src/worker/serve/index.ts'

/** Declared in front of this script by page-files.ts. Each release of the worker has another version. */
declare const version: string

serve({ version })
