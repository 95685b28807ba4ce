package query

import (
	"context"

	"github.com/weft-graph/weft/graph"
)

// typeIDs are the concepts that the names in a query stand for.
type typeIDs struct {
	named  map[string]graph.ID
	legacy map[string]graph.ID
}

// of is the type of the connections a hop follows: 0 for Self, unknown when nobody made such a type.
func (t typeIDs) of(hop *Query) (typ graph.ID, known bool) {
	switch {
	case hop.ConnectionID != 0:
		return hop.ConnectionID, true
	case hop.Connection == Self:
		return 0, true
	case hop.Legacy:
		typ = t.legacy[hop.Connection]
	default:
		typ = t.named[hop.Connection]
	}
	return typ, typ != 0
}

// resolve finds the types of a whole query at once.
func resolve(ctx context.Context, r graph.Reader, q *Query) (typeIDs, error) {
	var names []string
	var legacy []graph.ValueKey
	collect(q, &names, &legacy)
	for _, f := range q.Filters {
		names = append(names, f.typeNames()...)
	}
	types := typeIDs{named: map[string]graph.ID{}, legacy: map[string]graph.ID{}}
	found, err := graph.TypesNamed(ctx, r, names...)
	if err != nil {
		return typeIDs{}, err
	}
	for name, c := range found {
		types.named[name] = c.ID
	}
	if len(legacy) == 0 {
		return types, nil
	}
	linkers, err := r.ConceptsByValue(ctx, legacy)
	for _, c := range linkers {
		types.legacy[c.Value] = c.ID
	}
	return types, err
}

func collect(q *Query, names *[]string, legacy *[]graph.ValueKey) {
	if q.Type != "" {
		*names = append(*names, q.Type)
	}
	*names = append(*names, q.Selectors...)
	switch {
	case q.Connection == "" || q.Connection == Self:
	case q.Legacy:
		*legacy = append(*legacy, graph.ValueKey{Value: q.Connection, Type: graph.TypeConnection})
	default:
		*names = append(*names, q.Connection)
	}
	for i := range q.Hops {
		collect(&q.Hops[i], names, legacy)
	}
}

// typeNames are the types that a filter names.
func (f Filter) typeNames() []string {
	if name, ok := f.NamedType(); ok {
		return []string{name}
	}
	if f.Type == "" || f.Special() {
		return nil
	}
	return []string{f.Type}
}
