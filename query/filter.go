package query

import (
	"slices"

	"github.com/weft-graph/weft/graph"
)

var specialFields = map[string]graph.Field{
	FieldID:   graph.FieldID,
	FieldTime: graph.FieldCreated,
	FieldUser: graph.FieldOwner,
	FieldType: graph.FieldType,
}

// Special says whether the filter looks at a special field, whatever the type.
func (f Filter) Special() bool {
	_, special := specialFields[f.Type]
	return special
}

// Predicate is what a concept of the filter's type is compared with. It is not ok for Exists, which compares nothing. Where
// NamedType has a name its Number is the id of that type, which is left 0: the id of nothing.
//
// The error is Invalid for a comparison that is none and an operand that cannot be read.
func (f Filter) Predicate() (p graph.Predicate, ok bool, err error) {
	p = graph.Predicate{Op: f.Op, Text: f.Search}
	if f.Op == "" {
		p.Op = graph.Equal
	}
	if !slices.Contains(filterOps, p.Op) {
		return graph.Predicate{}, false, graph.Errorf(graph.Invalid, "filter %q compares by %.20q; there are %v", graph.Clip(f.Name), f.Op, filterOps)
	}
	if p.Op == Exists {
		return graph.Predicate{}, false, nil
	}
	field, special := specialFields[f.Type]
	if !special {
		return p, true, nil
	}
	if p.Op == graph.Like || field == graph.FieldType && p.Op != graph.Equal && p.Op != graph.NotEqual {
		return graph.Predicate{}, false, graph.Errorf(graph.Invalid, "filter %q: %s is not compared by %q", graph.Clip(f.Name), f.Type, p.Op)
	}
	number, err := f.number(field)
	return graph.Predicate{Field: field, Op: p.Op, Number: number}, err == nil, err
}

var filterOps = []graph.Op{
	graph.Equal, graph.NotEqual, graph.Like, graph.Greater, graph.GreaterOrEqual, graph.Less, graph.LessOrEqual, Exists,
}

// NamedType is the name that a filter by FieldType gives in place of an id.
func (f Filter) NamedType() (name string, ok bool) {
	if f.Type != FieldType || f.Op == Exists {
		return "", false
	}
	_, err := graph.ParseID(f.Search)
	return f.Search, err != nil
}

// number is the operand for a special field.
func (f Filter) number(field graph.Field) (int64, error) {
	id, err := graph.ParseID(f.Search) // milliseconds are whole numbers of the same size
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
