// Package schemas manages the schema of a store, and checks writes and stored records against it.
//
// # Stored form
//
// Each type of a schema is a prototype of the contract, with the types of its required and optional members, so that clients
// without schemas see a prototype. The prototype is connected to a value with the canonical JSON of the type:
//
//	the_contact (prototype) ──the_prototype_of_the_contact_requires──▶ the_name (type)
//	                        ──the_prototype_of_the_contact_optional──▶ the_age (type)
//	                        ──the_prototype_schema──▶ the_weft_schema {"fields":{…},"name":"contact"}
//
// The system user owns these records, and they are public. Records of the same form with another owner are not schemas.
//
//	Push     replaces types; one batch
//	Load     reads all types; two requests, and one more for every 500 types
//	Report   reports stored records that violate the schema, page by page
//	PreviewPush  counts the stored records that would violate the schema after a push
//	Discover  describes the fields and links of the newest records of a type, whether or not the schema has it
//	Store    checks every batch before it is written; see enforce.go
package schemas
