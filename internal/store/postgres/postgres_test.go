package postgres_test

import (
	"flag"
	"testing"

	"go.uber.org/goleak"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/pgtest"
	"github.com/weft-graph/weft/internal/store/kv"
	"github.com/weft-graph/weft/internal/store/kv/kvtest"
	"github.com/weft-graph/weft/internal/store/postgres"
	"github.com/weft-graph/weft/internal/store/raw"
	"github.com/weft-graph/weft/internal/store/sqlite"
	"github.com/weft-graph/weft/internal/store/storetest"
)

func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "25"); err != nil { // each check creates a database; the command line may set another number
		panic(err)
	}
	goleak.VerifyTestMain(pgtest.Main{M: m})
}

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) graph.Store { return open(t, pgtest.Database(t)) })
}

func TestReopenedStore(t *testing.T) {
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

func TestRaw(t *testing.T) {
	t.Parallel()
	openPostgres := func(t *testing.T) raw.Store { return open(t, pgtest.Database(t)) }
	openSQLite := func(t *testing.T) raw.Store {
		s, err := sqlite.Open(t.Context(), t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	t.Run("PostgreSQL", func(t *testing.T) { storetest.RunRaw(t, openPostgres) })
	t.Run("copied from SQLite", func(t *testing.T) { storetest.RunCopy(t, openSQLite, openPostgres) })
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
