import { serve } from '../../src/worker/serve/index.ts'

/**
 * The version of the worker. page-files.ts puts its declaration in front of this script. Each release has another
 * version.
 */
declare const version: string

serve({ version })
