package query_test

import (
	"encoding/json"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-graph/weft/auth"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/vectors"
	"github.com/weft-graph/weft/query"
	"github.com/weft-graph/weft/query/querytest"
	"github.com/weft-graph/weft/store/memory"
)

// A plain reader can do nothing besides what every reader can.
type plain struct{ graph.Reader }

// An unsized reader selects, and does not tell how large anything is.
type unsized struct {
	graph.Reader
	graph.Selector
}

// TestFiltersDice compares every way to answer with the slow and obvious one.
func TestFiltersDice(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		g := querytest.Graphs().Draw(r, "graph")
		store, err := vectors.Write(t.Context(), memory.New(), g)
		if err != nil {
			r.Fatal(err)
		}
		q := querytest.Real(store, querytest.Queries(g).Draw(r, "query"))
		want, err := querytest.Obvious(t.Context(), store, q)
		if err != nil {
			r.Fatal(err)
		}
		selector, _ := store.Store.(graph.Selector)
		gather, window := rapid.IntRange(1, 6).Draw(r, "gather"), rapid.IntRange(1, 3).Draw(r, "window")
		patience, countOn := rapid.IntRange(0, 6).Draw(r, "patience"), rapid.IntRange(0, 4).Draw(r, "countOn")
		for what, reader := range map[string]graph.Reader{
			"a reader that selects": store.Store, "a plain reader": plain{store}, "an unsized reader": unsized{store, selector},
		} {
			got, err := query.RunWith(t.Context(), reader, q, gather, window, patience, countOn)
			if err != nil {
				r.Fatalf("%s: %v", what, err)
			}
			if q.CountAll && got.AtLeast {
				r.Fatalf("%s counts only at least %d", what, got.Total)
			}
			if diff := querytest.Same(want, got); diff != "" {
				asked, _ := json.Marshal(q)
				r.Fatalf("%s answers\n%s\n%s\n%s", what, asked, got.Plan, diff)
			}
		}
	})
}

// TestEyes asks as somebody who may not see everything.
func TestEyes(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		g := querytest.Graphs().Draw(r, "graph")
		store, err := vectors.Write(t.Context(), memory.New(), g)
		if err != nil {
			r.Fatal(err)
		}
		q := querytest.Real(store, querytest.Queries(g).Draw(r, "query"))
		if inside(q) {
			r.Skip("what somebody sees of a composition may be cut off from it")
		}
		caller := auth.Caller{User: rapid.SampledFrom([]graph.ID{7, 8, graph.Anonymous}).Draw(r, "caller")}
		seen := auth.New(store.Store, auth.Rules{}).As(caller)
		want, err := querytest.Obvious(t.Context(), seen, q)
		if err != nil {
			r.Fatal(err)
		}
		for what, reader := range map[string]graph.Reader{"a view": seen, "a plain view": plain{seen}} {
			got, err := query.Run(t.Context(), reader, q)
			if err != nil {
				r.Fatal(err)
			}
			if diff := querytest.Same(want, got); diff != "" {
				r.Fatalf("%s answers\n%s\n%s", what, got.Plan, diff)
			}
		}
	})
}

func inside(q query.Query) bool {
	return q.Connection == query.Self || slices.ContainsFunc(q.Hops, inside)
}
