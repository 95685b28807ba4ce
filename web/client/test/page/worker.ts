import { type ServeOptions, serve } from '../../src/worker/serve/index.ts'

/**
 * The options of the worker; the test prepends them to this script. `greeting` is the last greeting of a page; the test
 * reads it.
 */
declare const served: ServeOptions & { greeting?: unknown }

serve({
  ...served,
  onGreeting: (greeting) => {
    served.greeting = greeting
  },
})
