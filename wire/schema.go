package wire

import "encoding/json"

// A SchemaPush adds and replaces types of the schema of a store.
type SchemaPush struct {
	Schema json.RawMessage `json:"schema"` // as package schema reads it
	Prune  Bool            `json:"prune"`  // remove the types that the schema does not have
	DryRun Bool            `json:"dryRun"` // change nothing
}

// SchemaChanges are the differences that a push makes to the stored schema.
type SchemaChanges struct {
	Differences []SchemaDifference `json:"differences"`
}

// A SchemaDifference is a field, or a type if Field is empty, that was added, changed or removed.
type SchemaDifference struct {
	Type   string          `json:"type"`
	Field  string          `json:"field,omitempty"`
	Before json.RawMessage `json:"before,omitempty"` // missing if the field or type was added
	After  json.RawMessage `json:"after,omitempty"`  // missing if the field or type was removed
}
