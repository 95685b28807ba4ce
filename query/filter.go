package query

import (
	"cmp"
	"slices"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// A Filter is a condition on the concepts of a node. It holds for a root if the hops lead from the root to at least
// one concept of the node On that satisfies the condition.
type Filter struct {
	Name string `json:"name"`         // the name in Logic
	On   string `json:"on,omitempty"` // the Name of a node; "" means the root
	// Type is the name of the type of the concept, or a special field; "" means any type.
	Type string `json:"type,omitempty"`
	// Op is a graph.Op or Exists, in either case; "" means graph.Equal. Values are compared as in graph.Predicate.
	Op graph.Op `json:"op,omitempty"`
	// Search is the operand. FieldID and FieldUser require an id. FieldTime requires a time in a form of graph.Key, or
	// milliseconds since 1970. FieldType requires an id or a name, and Equal or NotEqual.
	Search string `json:"search,omitempty"`
}

// Exists holds for every concept of the filter's type.
const Exists graph.Op = "exists"

// The special fields, which may replace the type of a filter.
const (
	FieldID   = "id"
	FieldTime = "entry_timestamp"
	FieldUser = "user_id"
	FieldType = "type_concept"
)

var specialFields = map[string]graph.Field{
	FieldID:   graph.FieldID,
	FieldTime: graph.FieldCreated,
	FieldUser: graph.FieldOwner,
	FieldType: graph.FieldType,
}

// IsSpecial reports whether the filter compares a special field.
func (f Filter) IsSpecial() bool {
	_, special := specialFields[f.Type]
	return special
}

// Predicate returns the predicate of the filter. Exists has no predicate: ok is false. If NamedType returns a name,
// the caller must set Number to the id of that type.
//
// The error is Invalid for an unknown comparison and a malformed operand.
func (f Filter) Predicate() (p graph.Predicate, ok bool, err error) {
	p = graph.Predicate{Op: f.operator(), Text: f.Search}
	if !slices.Contains(filterOps, p.Op) {
		return graph.Predicate{}, false, graph.Errorf(graph.Invalid, "filter %q: unknown operator %.20q; want one of %v", graph.Clip(f.Name), f.Op, filterOps)
	}
	if p.Op == Exists {
		return graph.Predicate{}, false, nil
	}
	field, special := specialFields[f.Type]
	if !special {
		return p, true, nil
	}
	if !p.Op.ComparesKeys() || field == graph.FieldType && p.Op != graph.Equal && p.Op != graph.NotEqual {
		return graph.Predicate{}, false, graph.Errorf(graph.Invalid, "filter %q: %s cannot be compared by %q", graph.Clip(f.Name), f.Type, p.Op)
	}
	number, err := f.operand(field)
	return graph.Predicate{Field: field, Op: p.Op, Number: number}, err == nil, err
}

// filterOps lists the operators of filters.
var filterOps = append(graph.Ops(), Exists)

// operator returns Op in lower case, and graph.Equal for "".
func (f Filter) operator() graph.Op {
	return cmp.Or(graph.Op(strings.ToLower(string(f.Op))), graph.Equal)
}

// NamedType returns the type name that a filter by FieldType has as its operand instead of an id.
func (f Filter) NamedType() (name string, ok bool) {
	if f.Type != FieldType || f.operator() == Exists {
		return "", false
	}
	_, err := graph.ParseID(f.Search)
	return f.Search, err != nil
}

// operand parses the operand for a special field.
func (f Filter) operand(field graph.Field) (int64, error) {
	id, err := graph.ParseID(f.Search) // also parses milliseconds, which have the same range
	switch {
	case err == nil:
		return int64(id), nil
	case field == graph.FieldType && f.Search != "":
		return 0, nil
	case field == graph.FieldCreated:
		if t, ok := graph.ParseTime(f.Search); ok {
			return t.UnixMilli(), nil
		}
		return 0, graph.Errorf(graph.Invalid, "filter %q: %q is neither a time nor milliseconds", graph.Clip(f.Name), graph.Clip(f.Search))
	default:
		return 0, graph.Errorf(graph.Invalid, "filter %q: %s: %q is not an id", graph.Clip(f.Name), f.Type, graph.Clip(f.Search))
	}
}
