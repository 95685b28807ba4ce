package graph

import (
	"cmp"
	"iter"
	"slices"
	"strings"
)

// An Op is a comparison. The texts travel on the wire.
type Op string

// The comparisons.
const (
	Equal          Op = "="
	NotEqual       Op = "!="
	Like           Op = "like"
	Greater        Op = ">"
	GreaterOrEqual Op = ">="
	Less           Op = "<"
	LessOrEqual    Op = "<="
)

// A Field is what a predicate looks at.
type Field int

// The fields of a concept.
const (
	FieldValue Field = iota
	FieldID
	FieldType
	FieldOwner
	FieldCreated // in milliseconds since 1970
)

// A Predicate is true or false of a concept.
type Predicate struct {
	Field Field
	Op    Op
	// Text is what a value is compared with. For Like it is a pattern: what stands between its percent signs must
	// occur in the value, one after the other and without overlap, letters of either case; a pattern of nothing else holds always.
	Text string
	// Number is what the other fields are compared with. There is no Like for them.
	Number int64
}

// Holds says whether the predicate is true of a concept. A value is compared by its Key: only with its own kind,
// so that of two different kinds nothing is true but NotEqual.
func (p Predicate) Holds(c Concept) bool {
	switch p.Field {
	case FieldValue:
		return p.value(c.Value)
	case FieldID:
		return p.Op.holds(cmp.Compare(int64(c.ID), p.Number))
	case FieldType:
		return p.Op.holds(cmp.Compare(int64(c.Type), p.Number))
	case FieldOwner:
		return p.Op.holds(cmp.Compare(int64(c.Owner), p.Number))
	default:
		return p.Op.holds(cmp.Compare(c.Created.UnixMilli(), p.Number))
	}
}

func (p Predicate) value(value string) bool {
	if p.Op == Like {
		return p.like(Fold(value))
	}
	return p.Op.HoldsOf(KeyOf(value), KeyOf(p.Text))
}

// HoldsOf says whether a comparison is true of two values, which are given by their keys. It is no Like.
func (o Op) HoldsOf(a, b Key) bool {
	if a.Kind() != b.Kind() {
		return o == NotEqual
	}
	return o.holds(cmp.Compare(a, b))
}

func (o Op) holds(order int) bool {
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

// Pieces are what must occur in a value that is like the text of the predicate, folded, in order.
func (p Predicate) Pieces() []string { return slices.Collect(p.pieces()) }

func (p Predicate) pieces() iter.Seq[string] {
	return func(yield func(string) bool) {
		for piece := range strings.SplitSeq(p.Text, "%") {
			if piece != "" && !yield(Fold(piece)) {
				return
			}
		}
	}
}

// like folds no more of a long pattern than it needs.
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
