package auth

import (
	"context"

	"github.com/weft-graph/weft/graph"
)

// visible keeps the connections that the caller may read, in place.
func (v *view) visible(ctx context.Context, connections []graph.Connection) ([]graph.Connection, error) {
	if len(connections) == 0 {
		return connections, nil
	}
	seen, err := v.ends(ctx, connections)
	if err != nil {
		return nil, err
	}
	kept := connections[:0]
	for _, c := range connections {
		if v.in(graph.ScopeOf(c.Owner, c.Access)) && seen[c.From] && seen[c.To] {
			kept = append(kept, c)
		}
	}
	return kept, nil
}

// ends says which ends of connections the caller may read. Looking them all up is what makes access hold
// at both ends; the store is expected to remember concepts.
func (v *view) ends(ctx context.Context, connections []graph.Connection) (map[graph.ID]bool, error) {
	l, err := v.lens(ctx)
	if err != nil {
		return nil, err
	}
	seen := make(map[graph.ID]bool, len(connections)+1)
	ids := make([]graph.ID, 0, len(connections)+1)
	for _, c := range connections {
		for _, id := range [...]graph.ID{c.From, c.To} {
			if _, known := seen[id]; !known {
				seen[id] = false
				ids = append(ids, id)
			}
		}
	}
	concepts, err := v.store.Concepts(ctx, ids)
	for _, c := range concepts {
		seen[c.ID] = l.reads(c)
	}
	return seen, err
}
