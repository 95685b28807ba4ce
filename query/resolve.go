package query

import (
	"context"

	"github.com/weft-graph/weft/graph"
)

// resolvedTypes maps the type names in a query to ids. Names of unknown types are missing.
type resolvedTypes struct {
	named  map[string]graph.ID
	legacy map[string]graph.ID // legacy linkers: values, not types, but also used as the type of connections
}

// ofHop returns the type of the connections that a hop follows, or 0 for Self. If the type does not exist, known is
// false.
func (t resolvedTypes) ofHop(hop *Query) (typ graph.ID, known bool) {
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

// resolveTypes looks up all type names of a query, with one request for types and one for legacy linkers.
func resolveTypes(ctx context.Context, r graph.Reader, q *Query) (resolvedTypes, error) {
	var names []string
	var legacy []graph.ValueKey
	collectNames(q, &names, &legacy)
	for _, o := range q.OrderBy {
		names = append(names, o.names()...)
	}
	for _, f := range q.Filters {
		names = append(names, f.typeNames()...)
	}
	types := resolvedTypes{named: map[string]graph.ID{}, legacy: map[string]graph.ID{}}
	found, err := graph.TypesNamed(ctx, r, names...)
	if err != nil {
		return resolvedTypes{}, err
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

// collectNames appends the names of types and legacy linkers in a query.
func collectNames(q *Query, names *[]string, legacy *[]graph.ValueKey) {
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
		collectNames(&q.Hops[i], names, legacy)
	}
}

// names returns the type names in an OrderBy.
func (o OrderBy) names() (names []string) {
	for _, name := range []string{o.Field, o.Connection} {
		if name != "" {
			names = append(names, name)
		}
	}
	return names
}

// typeNames returns the type names in a filter.
func (f Filter) typeNames() []string {
	if name, ok := f.NamedType(); ok {
		return []string{name}
	}
	if f.Type == "" || f.IsSpecial() {
		return nil
	}
	return []string{f.Type}
}
