package graph

import (
	"cmp"
	"iter"
	"slices"
	"strings"
)

// An Op is a comparison operator. The wire contract defines the strings. A constant is in lower case, because filters compare operators
// in lower case (query/filter.go, web/client/src/query/filter.ts). A condition of the typed find needs no operator of its own: startsWith
// becomes >= and <.
//
// To add an operator, change:
//
//	this file                             the constant, Ops, ComparesKeys, SelectsRange, and Holds or holdsFor
//	internal/store/{sqlite,postgres}      Holds in select.go; with an index, Values in select.go and select_values.go
//	query/estimate.go                     the share of values that is expected to match
//	web/client/src/query/query.ts         the type Op
//	web/client/src/query/predicate.ts     the table orderTests, or valuePredicate
//	spec/predicate, spec/query            one case per rule; Go and TypeScript run them
//	internal/store/storetest/draw.go      random operands
//	web/console/src/ask                   question/words.ts, question/plain-words.ts and code/find.ts: in words, in sentences and in code
//	cmd/weft/query_members.go             help
//	docs/query.md, docs/client-api.md     the table of operators; the generated reference
//
// Three functions treat every operator that does not compare keys as Like: holdsForValue in this file, valuePredicate in its
// TypeScript twin, and resolveAll in query/values.go, which counts it towards maxLikeFilters.
//
// The stores, the generated queries and the checks of filters read Ops. A store without support for an operator fails
// storetest. The TypeScript twin of this file is web/client/src/query/predicate.ts.
type Op string

// The comparison operators. Package query adds Exists, which compares nothing.
const (
	Equal          Op = "="
	NotEqual       Op = "!="
	Like           Op = "like"
	Greater        Op = ">"
	GreaterOrEqual Op = ">="
	Less           Op = "<"
	LessOrEqual    Op = "<="
)

// Ops returns all operators.
func Ops() []Op { return []Op{Equal, NotEqual, Like, Greater, GreaterOrEqual, Less, LessOrEqual} }

// ComparesKeys reports whether the operator compares the keys of two values (see Key). Like searches the text instead.
func (o Op) ComparesKeys() bool { return o != Like }

// SelectsRange reports whether the values that satisfy the operator have adjacent keys, so that an index finds them.
func (o Op) SelectsRange() bool { return o.ComparesKeys() && o != NotEqual }

// A Field is the field of a concept that a predicate compares.
type Field int

// The fields of a concept.
const (
	FieldValue Field = iota
	FieldID
	FieldType
	FieldOwner
	FieldCreated // in milliseconds since 1970
)

// A Predicate is a condition on one field of a concept.
type Predicate struct {
	Field Field
	Op    Op
	// Text is the operand for FieldValue. For Like it is a pattern: the pieces between its percent signs must
	// occur in the value in order and without overlap, ignoring case. A pattern without pieces matches any value.
	Text string
	// Number is the operand for the other fields. Like never holds for these fields.
	Number int64
}

// Holds reports whether a concept satisfies the predicate. Values are compared by their Key. Between values of
// different kinds, only NotEqual holds.
func (p Predicate) Holds(c Concept) bool {
	switch p.Field {
	case FieldValue:
		return p.holdsForValue(c.Value)
	case FieldID:
		return p.Op.holdsFor(cmp.Compare(int64(c.ID), p.Number))
	case FieldType:
		return p.Op.holdsFor(cmp.Compare(int64(c.Type), p.Number))
	case FieldOwner:
		return p.Op.holdsFor(cmp.Compare(int64(c.Owner), p.Number))
	default:
		return p.Op.holdsFor(cmp.Compare(c.Created.UnixMilli(), p.Number))
	}
}

func (p Predicate) holdsForValue(value string) bool {
	if !p.Op.ComparesKeys() {
		return p.like(Fold(value))
	}
	return p.Op.Holds(KeyOf(value), KeyOf(p.Text))
}

// Holds reports whether the comparison holds for two values, given by their keys. It is false for operators that do not
// compare keys.
func (o Op) Holds(a, b Key) bool {
	if a.Kind() != b.Kind() {
		return o == NotEqual
	}
	return o.holdsFor(cmp.Compare(a, b))
}

// holdsFor reports whether the comparison holds for two values with the given order: negative, zero or positive.
func (o Op) holdsFor(order int) bool {
	switch o {
	case Equal:
		return order == 0
	case NotEqual:
		return order != 0
	case Greater:
		return order > 0
	case GreaterOrEqual:
		return order >= 0
	case Less:
		return order < 0
	case LessOrEqual:
		return order <= 0
	default:
		return false
	}
}

// Pieces returns the folded pieces of the pattern, which must occur in a value in this order for Like to hold.
func (p Predicate) Pieces() []string { return slices.Collect(p.pieces()) }

// pieces yields the folded pieces of the pattern.
func (p Predicate) pieces() iter.Seq[string] {
	return func(yield func(string) bool) {
		for piece := range strings.SplitSeq(p.Text, "%") {
			if piece != "" && !yield(Fold(piece)) {
				return
			}
		}
	}
}

// like reports whether all pieces of the pattern occur in a folded value, in order and without overlap. It folds the
// pieces one at a time and stops at the first that does not occur.
func (p Predicate) like(folded string) bool {
	for piece := range p.pieces() {
		_, after, found := strings.Cut(folded, piece)
		if !found {
			return false
		}
		folded = after
	}
	return true
}
