import { type ServeOptions, serve } from '../../src/serve/index.ts'

/** A test writes what it wants served before the script. */
declare const served: ServeOptions

serve(served)
