// Package typesource generates source code from a schema: a TypeScript module for @weft/client/schema, and Go structs for
// schema.Define. Both define the same schema again. The cost is linear in the size of the schema.
package typesource
