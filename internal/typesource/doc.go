// Package typesource generates source code from a schema: a TypeScript module for @weft/client/schema, and Go structs for
// schema.Define. Both define the schema from which they were generated. The cost is linear in the size of the schema.
package typesource
