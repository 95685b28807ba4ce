package postgres_test

import (
	"flag"
	"testing"

	"go.uber.org/goleak"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/pgtest"
	"github.com/weft-graph/weft/kv"
	"github.com/weft-graph/weft/kv/kvtest"
	"github.com/weft-graph/weft/store/postgres"
	"github.com/weft-graph/weft/store/raw"
	"github.com/weft-graph/weft/store/sqlite"
	"github.com/weft-graph/weft/store/storetest"
)

func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "25"); err != nil { // each makes a database; the command line may want more
		panic(err)
	}
	goleak.VerifyTestMain(pgtest.Main{M: m})
}

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) graph.Store { return open(t, pgtest.Database(t)) })
}

func TestStoreOpenedAgain(t *testing.T) {
	t.Parallel()
	storetest.RunReopened(t, func(t *testing.T) func() graph.Store {
		url := pgtest.Database(t)
		return func() graph.Store {
			s, err := postgres.Open(t.Context(), url)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
	})
}

func TestKV(t *testing.T) {
	t.Parallel()
	kvtest.Run(t, func(t *testing.T) kv.Store { return open(t, pgtest.Database(t)).KV() })
}

func TestRows(t *testing.T) {
	t.Parallel()
	here := func(t *testing.T) raw.Store { return open(t, pgtest.Database(t)) }
	file := func(t *testing.T) raw.Store {
		s, err := sqlite.Open(t.Context(), t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	t.Run("PostgreSQL", func(t *testing.T) { storetest.RunRaw(t, here) })
	t.Run("from SQLite", func(t *testing.T) { storetest.RunCopy(t, file, here) })
}

func BenchmarkStore(b *testing.B) {
	s := pgtest.New(b)
	storetest.Bench(b, func(b *testing.B) graph.Store { return open(b, s.Database(b)) })
}

func open(t testing.TB, url string) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), url)
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
