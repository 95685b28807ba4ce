/** The code that executes queries. It is loaded when the first client with a schema is created. */
export { createAggregateQuery } from './aggregate.ts'
export { checkSchema } from './check-schema.ts'
export { createFindQuery } from './find.ts'
