// Package schema describes the types of an application: the fields of records, their kinds and rules, and the links between
// records. It converts typed values to the text that a store holds, and checks records.
//
// A record of the type "contact" is a composition of the type "the_contact" (see package composition). Its field "age" is the
// part "the_age", a nested record is a nested composition, and a list is a list of package composition. A link is a connection
// between two records: "the_contact_company" for a link to one record, "the_contact_s_groups" for a link to many. Programs
// without a schema therefore read and write the same records.
//
//	typed value ──Encode──▶ stored value ──▶ graph          null: the field has no part
//	            ◀──Decode──              ◀──                 text that does not fit its kind: null, and a warning
//	                           │
//	                           └─Check──▶ refusals: field, rule, sentence
//
// Typed and stored values are both of the type composition.Value: a typed number is a number, and a stored number is text.
//
//	kind             typed value                           stored text
//	text, longText   text                                  unchanged
//	choice           one of Choices                        unchanged
//	integer, number  number                                the shortest decimal form, as JavaScript writes it
//	boolean          true or false                         true, false
//	date             "2026-02-28"                          unchanged
//	dateTime         "2026-02-28T10:00:00+01:00"           2026-02-28T09:00:00.000Z
//	json             any JSON value                        JSON
//	file             {url, name, type, size}               JSON
//	list, record     list, record                          list or record of stored values
//	one, many        ids; not part of the composition      -
//
// A Schema is written as JSON. Its canonical form has sorted keys and no members with default values, so two schemas are equal
// if their canonical forms are. The cases in spec/schema, spec/value and spec/record verify this package and its twin in the
// browser library.
//
// Costs: Parse and Check are linear in their input. Patterns run in linear time (see package regexp).
package schema
