package schema

import (
	"slices"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// A Kind is the kind of a field or link.
//
// To add a kind, change:
//
//	this file                         the constant, members, isText or isTime, fittingKinds
//	value.go, sentence.go, define.go  the stored text, sentences, the Go type
//	check.go, parse.go                the rules of stored values, the members of a field
//	internal/typesource/go.go         the Go type in generated source
//	client                            find.go: the order of records by it; where_fields.go: its conditions; records.go: its changes
//	web/client/src/schema             fields, index, values, check-schema, sentence, types, find, where, record and decode
//	web/console/src                   schema/rows.ts: its rules; ask/code/find.ts: its operands (operandOf); records/columns.ts: its cells
//	web/console/src/records           for a new CellKind: cell, field-inputs, text-editor, grid-header and use-widths
//	spec/{value,schema,record}        one case per rule; spec_test.go requires a case for each kind
//	docs                              the tables of kinds in client.md, go.md and http.md, and in doc.go
type Kind string

// The kinds of fields and links.
const (
	KindText     Kind = "text"
	KindLongText Kind = "longText" // text that is shown in several lines
	KindInteger  Kind = "integer"  // between -2^53+1 and 2^53-1
	KindNumber   Kind = "number"   // a finite IEEE 754 double
	KindBoolean  Kind = "boolean"
	KindDate     Kind = "date"     // a calendar day without a time zone
	KindDateTime Kind = "dateTime" // an instant, in milliseconds
	KindJSON     Kind = "json"
	KindFile     Kind = "file"
	KindChoice   Kind = "choice" // one of Field.Choices
	KindList     Kind = "list"   // list of Field.Of
	KindRecord   Kind = "record" // nested record with Field.Fields
	KindOne      Kind = "one"    // a link to at most one record of Field.Targets
	KindMany     Kind = "many"   // links to any number of records of Field.Targets
)

// members lists the members that a field of each kind may have besides its kind.
var members = map[Kind][]string{
	KindText:     {"required", "unique", "default", "min", "max", "pattern", "format", "restricted", "was"},
	KindLongText: {"required", "default", "min", "max", "pattern", "format", "restricted", "was"},
	KindInteger:  {"required", "unique", "default", "min", "max", "restricted", "was"},
	KindNumber:   {"required", "unique", "default", "min", "max", "restricted", "was"},
	KindBoolean:  {"required", "default", "restricted", "was"},
	KindDate:     {"required", "unique", "default", "min", "max", "restricted", "was"},
	KindDateTime: {"required", "unique", "default", "min", "max", "restricted", "was"},
	KindJSON:     {"required", "default", "restricted", "was"},
	KindFile:     {"required", "max", "restricted", "was"},
	KindChoice:   {"choices", "required", "unique", "default", "restricted", "was"},
	KindList:     {"of", "required", "min", "max", "restricted", "was"},
	KindRecord:   {"fields", "required", "restricted", "was"},
	KindOne:      {"targets", "inverse", "required", "was"},
	KindMany:     {"targets", "inverse", "was"},
}

// IsLink reports whether the kind is a link to other records. A link is not a part of the record's composition.
func (k Kind) IsLink() bool { return k == KindOne || k == KindMany }

// isText reports whether values of the kind are text. Min and max then limit its length.
func (k Kind) isText() bool { return k == KindText || k == KindLongText }

// isTime reports whether the limits of the kind are strings rather than numbers.
func (k Kind) isTime() bool { return k == KindDate || k == KindDateTime }

// allows reports whether a field of the kind may have a member.
func (k Kind) allows(member string) bool { return slices.Contains(members[k], member) }

// isName reports whether name can be the name of a type or a field: [a-z][A-Za-z0-9]*, at most maxName characters.
func isName(name string) bool {
	if name == "" || len(name) > maxName || name[0] < 'a' || name[0] > 'z' {
		return false
	}
	return strings.IndexFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	}) < 0
}

// maxName is the maximum length of a name in bytes, so that the names of links stay far below the limit of type names.
const maxName = 64

// reservedFields are names that have another meaning in the rows and conditions of queries.
var reservedFields = []string{"id", "or", "and", "not"}

// reservedTypes are names of types that would have a store type with another meaning.
var reservedTypes = []string{"connection", "composition"}

// fittingKinds are the kinds that FittingKind considers, narrowest first.
var fittingKinds = []Kind{KindBoolean, KindInteger, KindNumber, KindDate, KindDateTime}

// FittingKind returns the narrowest of the kinds boolean, integer, number, date and dateTime that can store all texts.
// Without texts, or if none of these kinds can, it returns KindLongText if one of the texts has several lines or more than
// 255 UTF-16 units, and otherwise KindText.
func FittingKind(texts []string) Kind {
	for _, kind := range fittingKinds {
		f := Field{Kind: kind}
		fits := func(text string) bool {
			_, ok := f.decodeScalar(text)
			return ok
		}
		if len(texts) > 0 && !slices.ContainsFunc(texts, func(text string) bool { return !fits(text) }) {
			return kind
		}
	}
	if slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, "\n") || !graph.IsShared(text) && text != "" }) {
		return KindLongText
	}
	return KindText
}
