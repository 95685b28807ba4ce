// Package everystore runs a test on an empty store of every kind: memory, SQLite and PostgreSQL.
package everystore

import (
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/pgtest"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/internal/store/postgres"
	"github.com/weft-graph/weft/internal/store/sqlite"
)

// Run runs a test once for each kind of store, as a subtest, and then closes the store. The TestMain of the calling package
// must run a pgtest.Main.
func Run(t *testing.T, test func(*testing.T, graph.Store)) {
	for name, open := range map[string]func(*testing.T) (graph.Store, error){
		"in memory":     func(*testing.T) (graph.Store, error) { return memory.New(), nil },
		"in SQLite":     func(t *testing.T) (graph.Store, error) { return sqlite.Open(t.Context(), t.TempDir()) },
		"in PostgreSQL": func(t *testing.T) (graph.Store, error) { return postgres.Open(t.Context(), pgtest.Database(t)) },
	} {
		t.Run(name, func(t *testing.T) {
			store, err := open(t)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = store.Close() })
			test(t, store)
		})
	}
}
