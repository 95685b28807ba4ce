import { type ServeOptions, serve } from '../../src/serve/index.ts'

/** A test writes what it wants served before the script, and reads what pages said. */
declare const served: ServeOptions & { said?: unknown }

serve({
  ...served,
  greeted: (greeting) => {
    served.said = greeting
  },
})
