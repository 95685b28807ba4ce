import { type ServeOptions, serve } from '../../src/worker/serve/index.ts'

/** The options of the worker, which the test prepends to this script, and the last greeting of a page, which it reads. */
declare const served: ServeOptions & { greeting?: unknown }

serve({
  ...served,
  onGreeting: (greeting) => {
    served.greeting = greeting
  },
})
