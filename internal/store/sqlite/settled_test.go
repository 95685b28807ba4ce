package sqlite_test

import (
	"context"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/race"
	"github.com/weft-graph/weft/internal/store/sqlite"
	"github.com/weft-graph/weft/internal/store/storetest"
)

// settled is a store in which values are indexed before Write returns.
type settled struct{ *sqlite.Store }

func (s settled) Write(ctx context.Context, b graph.Batch) (graph.Receipt, error) {
	receipt, err := s.Store.Write(ctx, b)
	if err == nil {
		err = s.Settle(ctx)
	}
	return receipt, err
}

func TestSettledStore(t *testing.T) {
	if testing.Short() {
		t.Skip("TestStore runs the same tests")
	}
	race.Skip(t, "TestStore has the same accesses")
	storetest.Run(t, func(t *testing.T) graph.Store { return settled{open(t, t.TempDir())} })
}
