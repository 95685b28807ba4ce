package sqlite_test

import (
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/store/sqlite"
	"github.com/weft-graph/weft/store/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) graph.Store { return open(t, t.TempDir()) })
}

func BenchmarkStore(b *testing.B) {
	storetest.Bench(b, func(b *testing.B) graph.Store { return open(b, b.TempDir()) })
}

func open(t testing.TB, dir string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), dir)
	if err != nil {
		t.Fatalf("opening a store: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("closing the store: %v", err)
		}
	})
	return s
}
