package access

import (
	"context"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/budget"
)

// readableLinks removes the connections that the caller may not read, in place.
func (v *view) readableLinks(ctx context.Context, connections []graph.Connection) ([]graph.Connection, error) {
	return v.readableAmong(ctx, v.store, connections)
}

// readableAmong removes the connections that the caller may not read, in place. It reads the ends of the
// connections from records.
func (v *view) readableAmong(ctx context.Context, records graph.RecordReader, connections []graph.Connection) ([]graph.Connection, error) {
	if len(connections) == 0 {
		return connections, nil
	}
	readable, err := v.readableEnds(ctx, records, connections)
	if err != nil {
		return nil, err
	}
	visible := connections[:0]
	for _, c := range connections {
		if v.seesScope(graph.ScopeOf(c.Owner, c.Access)) && readable[c.From] && readable[c.To] {
			visible = append(visible, c)
		}
	}
	return visible, nil
}

// readableEnds reports for each end of the connections whether the caller may read it. It looks up all ends, and relies
// on the store to cache concepts.
func (v *view) readableEnds(ctx context.Context, records graph.RecordReader, connections []graph.Connection) (map[graph.ID]bool, error) {
	l, err := v.visibility(ctx)
	if err != nil {
		return nil, err
	}
	readable := make(map[graph.ID]bool, len(connections)+1)
	ids := make([]graph.ID, 0, len(connections)+1)
	for _, c := range connections {
		for _, id := range [...]graph.ID{c.From, c.To} {
			if _, known := readable[id]; !known {
				readable[id] = false
				ids = append(ids, id)
			}
		}
	}
	concepts, err := budget.ConceptsWithoutTexts(ctx, records, ids)
	for _, c := range concepts {
		readable[c.ID] = l.canRead(c)
	}
	return readable, err
}
