package query_test

import (
	"fmt"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/access"
	"github.com/weft-graph/weft/internal/pgtest"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/internal/store/postgres"
	"github.com/weft-graph/weft/internal/store/sqlite"
	"github.com/weft-graph/weft/query"
)

// TestSelectiveCombinationsOfRootFilters queries roots by filters of which each matches many values and the
// combination matches few.
func TestSelectiveCombinationsOfRootFilters(t *testing.T) {
	const words = 20_000
	file, err := sqlite.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	database, err := postgres.Open(t.Context(), pgtest.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	defer database.Close()
	for name, store := range map[string]graph.Store{"memory": memory.New(), "SQLite": file, "PostgreSQL": database} {
		b := graph.Batch{Sender: graph.Sender{User: 7}}
		for i := range words {
			b.Concepts = append(b.Concepts, graph.ConceptDraft{TypeName: "the_word", Value: fmt.Sprintf("w%05d", i*7919%words)})
		}
		if _, err := store.Write(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		if err := file.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		for callerName, caller := range map[string]access.Caller{"the system": access.System, "the owner": {User: 7}} {
			for _, typ := range []string{"", "the_word"} {
				for _, c := range selectiveLogics {
					q := query.Query{Type: "the_word", PageSize: 100, Logic: c.logic}
					for _, f := range c.filters {
						f.Type = typ
						q.Filters = append(q.Filters, f)
					}
					a, err := query.Run(t.Context(), access.New(store, access.Rules{}).As(caller), q)
					if err != nil {
						t.Fatal(err)
					}
					// One window, the results, and at most two abandoned attempts.
					if rows := a.Plan.Rows(); a.Total != c.found || a.AtLeast || rows > 1_500 {
						t.Errorf("%s, as %s, finds %d of %d by %s, type %q, and reads %d rows:\n%s", name, callerName, a.Total, c.found, c.logic, typ, rows, a.Plan)
					}
				}
			}
		}
	}
}

// selectiveLogics are combinations of filters, with the number of words that satisfy them.
var selectiveLogics = []struct {
	logic   string
	found   int
	filters []query.Filter
}{
	{"a AND b", 20, []query.Filter{{Name: "a", Op: graph.GreaterOrEqual, Search: "w0999"}, {Name: "b", Op: graph.Less, Search: "w1001"}}},
	{"a AND b AND c AND d", 10, []query.Filter{
		{Name: "a", Op: graph.Greater, Search: "w00"},
		{Name: "b", Op: graph.LessOrEqual, Search: "w19"},
		{Name: "c", Op: graph.GreaterOrEqual, Search: "w1000"},
		{Name: "d", Op: graph.Less, Search: "w1001"},
	}},
	{"a AND b AND NOT c", 19, []query.Filter{
		{Name: "a", Op: graph.GreaterOrEqual, Search: "w0999"}, {Name: "b", Op: graph.Less, Search: "w1001"}, {Name: "c", Search: "w10000"},
	}},
	{"a OR b", 2, []query.Filter{{Name: "a", Search: "w10000"}, {Name: "b", Search: "w00001"}}},
	{"a AND (b OR c)", 2, []query.Filter{{Name: "a", Op: graph.Less, Search: "w1"}, {Name: "b", Search: "w00007"}, {Name: "c", Search: "w00008"}}},
	{"a AND b OR c AND d", 15, []query.Filter{
		{Name: "a", Op: graph.GreaterOrEqual, Search: "w1000"},
		{Name: "b", Op: graph.Less, Search: "w1001"},
		{Name: "c", Op: graph.GreaterOrEqual, Search: "w15000"},
		{Name: "d", Op: graph.Less, Search: "w15005"},
	}},
	{"a AND b OR c", 11, []query.Filter{
		{Name: "a", Op: graph.GreaterOrEqual, Search: "w1000"}, {Name: "b", Op: graph.Less, Search: "w1001"}, {Name: "c", Search: "w00001"},
	}},
}
