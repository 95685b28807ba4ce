/** The imports of an application with a schema, for the test of the size budget. */
export { createClient } from '../../src/index.ts'
export { defineSchema, integer, many, one, text } from '../../src/schema/index.ts'
