package query_test

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/access"
	"github.com/weft-graph/weft/internal/pgtest"
	"github.com/weft-graph/weft/internal/querytest"
	"github.com/weft-graph/weft/internal/spec"
	"github.com/weft-graph/weft/internal/store/cache"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/internal/store/postgres"
	"github.com/weft-graph/weft/internal/store/sqlite"
	"github.com/weft-graph/weft/query"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(pgtest.Main{M: m}) }

// callers have different permissions. In generated graphs, user 7 owns most records and user 8 owns some.
var callers = map[string]access.Caller{
	"the system":                access.System,
	"an admin":                  {User: 70_001, Admin: true},
	"the owner":                 {User: 7},
	"another user":              {User: 8},
	"a user without records":    {User: 70_002},
	"an API key for two types":  {User: 7, Scope: &access.Scope{Types: []string{"the_a", "the_c"}}},
	"an admin key for one type": {User: 70_001, Admin: true, Scope: &access.Scope{Types: []string{"the_b"}}},
}

// TestRandomQueriesOnStores runs random queries on every kind of store as every caller, and compares the answers with
// those of the reference evaluator for that caller. To run 10,000 queries:
//
//	go test ./query -run RandomQueriesOnStores -rapid.checks 5000
func TestRandomQueriesOnStores(t *testing.T) {
	file, err := sqlite.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	persistent := map[string]graph.Store{"SQLite": file}
	if !testing.Short() {
		database, err := postgres.Open(t.Context(), pgtest.Database(t))
		if err != nil {
			t.Fatal(err)
		}
		defer database.Close()
		persistent["PostgreSQL with a cache"] = cache.New(database, 1<<20)
	}
	rapid.Check(t, func(r *rapid.T) {
		g := querytest.Graphs().Draw(r, "graph")
		publishNested(g)
		model := seed(r, memory.New(), g)
		stores := map[string]spec.Seeded{"memory": model, "memory without a selector": onStore(model, struct{ graph.Store }{model.Store})}
		for name, store := range persistent {
			s := seed(r, store, g)
			defer remove(r, s, g)
			stores[name] = s
		}
		for range 2 {
			compareAll(r, model, stores, querytest.Queries(g).Draw(r, "query"))
		}
	})
}

// compareAll runs a query on all stores as all callers, with the default or with random thresholds. The order of stores and callers is
// fixed, so that a failure can be repeated from its seed.
func compareAll(r *rapid.T, model spec.Seeded, stores map[string]spec.Seeded, q query.Query) {
	usesDefaults := rapid.Bool().Draw(r, "usesDefaults")
	thresholds := drawThresholds(r)
	for _, callerName := range slices.Sorted(maps.Keys(callers)) {
		caller := callers[callerName]
		reference, err := querytest.Reference(r.Context(), access.New(model.Store, access.Rules{}).As(caller), querytest.WithRealIDs(model, q))
		if err != nil {
			r.Fatal(err)
		}
		want := withCaseIDs(model, reference)
		for _, name := range slices.Sorted(maps.Keys(stores)) {
			s := stores[name]
			view := access.New(s.Store, access.Rules{}).As(caller)
			var got query.Answer
			if usesDefaults {
				got, err = query.Run(r.Context(), view, querytest.WithRealIDs(s, q))
			} else {
				got, err = query.RunWithThresholds(r.Context(), view, querytest.WithRealIDs(s, q), thresholds)
			}
			text, _ := json.Marshal(q) //nolint:errchkjson // a query can be encoded
			if err != nil {
				r.Fatalf("%s, as %s: %s: %v", name, callerName, text, err)
			}
			if q.CountAll && got.AtLeast {
				r.Fatalf("%s, as %s: total %d is only a lower bound for\n%s", name, callerName, got.Total, text)
			}
			if diff := querytest.Diff(want, withCaseIDs(s, got)); diff != "" {
				r.Fatalf("%s, as %s: a wrong answer to\n%s\n%s\n%s", name, callerName, text, got.Plan, diff)
			}
			if len(q.OrderBy) > 0 {
				all := querytest.WithRealIDs(s, q)
				all.Page, all.PageSize = 0, query.MaxPageSize
				every, err := querytest.Reference(r.Context(), view, all)
				if err != nil {
					r.Fatal(err)
				}
				requirePages(r, view, all, thresholds, every.Roots)
			}
		}
	}
}

// publishNested makes nested records public, so that no caller sees a part of a composition without the records
// around it. In such a part, filters could match concepts that hops do not reach.
func publishNested(g spec.Graph) {
	records := map[graph.ID]*spec.Concept{}
	for i, c := range g.Concepts {
		if c.Value == nil {
			records[c.ID] = &g.Concepts[i]
		}
	}
	for i, c := range g.Connections {
		var main graph.ID
		if json.Unmarshal(c.Type, &main) == nil && records[main] != nil && records[c.To] != nil {
			records[c.To].Access, g.Connections[i].Access = graph.Public, graph.Public
		}
	}
}

// A numberedSender writes batches under its own sender.
type numberedSender struct {
	graph.Store
	number int64
}

func (s numberedSender) Write(ctx context.Context, b graph.Batch) (graph.Receipt, error) {
	b.Sender.Randomizer = s.number
	return s.Store.Write(ctx, b)
}

// seed adds a graph to a store, which may already contain other graphs.
func seed(r *rapid.T, store graph.Store, g spec.Graph) spec.Seeded {
	changes, err := store.LastSeq(r.Context())
	if err != nil {
		r.Fatal(err)
	}
	s, err := spec.Write(r.Context(), numberedSender{store, int64(changes)}, g)
	if err != nil {
		r.Fatal(err)
	}
	if !slices.IsSorted(realIDs(s, g)) {
		r.Fatal("the ids of a batch are not in order")
	}
	return onStore(s, store)
}

// onStore returns s with another store that has the same contents.
func onStore(s spec.Seeded, store graph.Store) spec.Seeded {
	s.Store = store
	return s
}

// remove removes the graph from its store.
func remove(r *rapid.T, s spec.Seeded, g spec.Graph) {
	removal := graph.Batch{Sender: graph.Sender{User: 7}, RemoveConcepts: realIDs(s, g)}
	if _, err := s.Write(context.WithoutCancel(r.Context()), removal); err != nil {
		r.Error(err)
	}
}

func realIDs(s spec.Seeded, g spec.Graph) []graph.ID {
	ids := make([]graph.ID, len(g.Concepts))
	for i, c := range g.Concepts {
		ids[i] = s.RealID(c.ID)
	}
	return ids
}

// withCaseIDs returns an answer with its ids replaced by those of the generated case.
func withCaseIDs(s spec.Seeded, a query.Answer) query.Answer {
	a.Roots, a.Links, a.Reverse = s.CaseIDs(a.Roots), s.CaseIDs(a.Links), s.CaseIDs(a.Reverse)
	a.Concepts = slices.Sorted(slices.Values(s.CaseIDs(a.Concepts)))
	a.Counts = slices.Clone(a.Counts)
	for i, c := range a.Counts {
		a.Counts[i] = graph.LinkCount{Of: s.CaseID(c.Of), Type: s.CaseID(c.Type), N: c.N}
	}
	slices.SortFunc(a.Counts, func(a, b graph.LinkCount) int { // the ids of types depend on the store
		return cmp.Or(cmp.Compare(a.Of, b.Of), cmp.Compare(a.Type, b.Type))
	})
	a.Groups = slices.Clone(a.Groups)
	for i, groups := range a.Groups {
		a.Groups[i].Top = slices.Clone(groups.Top)
		for j, top := range groups.Top {
			a.Groups[i].Top[j].Concept = s.CaseID(top.Concept)
		}
	}
	a.Connections = slices.Clone(a.Connections)
	for i := range a.Connections {
		c := &a.Connections[i]
		c.ID, c.From, c.To, c.Type = s.CaseID(c.ID), s.CaseID(c.From), s.CaseID(c.To), s.CaseID(c.Type)
	}
	return a
}
