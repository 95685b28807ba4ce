/** What an application with a schema imports, for the size budget. */
export { createClient } from '../../src/index.ts'
export { defineSchema, integer, many, one, text } from '../../src/schema/index.ts'
