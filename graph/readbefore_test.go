package graph_test

import (
	"testing"

	"github.com/weft-graph/weft/graph"
)

func TestReadBeforeReturnsAllConnectionsOrNone(t *testing.T) {
	if found, ok := graph.ReadBefore(t.Context(), []graph.ID{1}); ok {
		t.Errorf("without connections: %v, true; want false", found)
	}
	ctx := graph.WithReadBefore(t.Context(), []graph.Connection{{ID: 1}, {ID: 2}, {ID: 3}})
	if found, ok := graph.ReadBefore(ctx, []graph.ID{3, 1, 3}); !ok || len(found) != 2 || found[0].ID != 3 || found[1].ID != 1 {
		t.Errorf("found %v; want the connections 3 and 1, each once", found)
	}
	if found, ok := graph.ReadBefore(ctx, []graph.ID{1, 4}); ok {
		t.Errorf("got %v for ids of which one was not read; want false", found)
	}
	if found, ok := graph.ReadBefore(ctx, nil); !ok || len(found) != 0 {
		t.Errorf("without ids: %v, %v; want none, true", found, ok)
	}
}
