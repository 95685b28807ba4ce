import { serve } from '../../src/serve/index.ts'

/** What serves the script writes before it: another one with each update. */
declare const version: string

serve({ version })
