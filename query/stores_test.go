package query_test

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/weft-graph/weft/auth"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/pgtest"
	"github.com/weft-graph/weft/internal/vectors"
	"github.com/weft-graph/weft/query"
	"github.com/weft-graph/weft/query/querytest"
	"github.com/weft-graph/weft/store/cache"
	"github.com/weft-graph/weft/store/memory"
	"github.com/weft-graph/weft/store/postgres"
	"github.com/weft-graph/weft/store/sqlite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(pgtest.Main{M: m}) }

// Of the graphs that querytest rolls, user 7 owns most and user 8 some.
var askers = map[string]auth.Caller{
	"the system":               auth.System,
	"an admin":                 {User: 70_001, Admin: true},
	"the owner":                {User: 7},
	"another":                  {User: 8},
	"a stranger":               {User: 70_002},
	"a key for two types":      {User: 7, Scope: &auth.Scope{Types: []string{"the_a", "the_c"}}},
	"an admin's, for one type": {User: 70_001, Admin: true, Scope: &auth.Scope{Types: []string{"the_b"}}},
}

// TestStoresDice asks every kind of store as everybody, and compares with the slow and obvious answer to what they may see.
// So it asks 10,000 queries:
//
//	go test ./query -run StoresDice -rapid.checks 5000
func TestStoresDice(t *testing.T) {
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
	kept := map[string]graph.Store{"SQLite": file, "PostgreSQL, behind a cache": cache.New(database, 1<<20)}
	rapid.Check(t, func(r *rapid.T) {
		g := querytest.Graphs().Draw(r, "graph")
		uncut(g)
		model := seed(r, memory.New(), g)
		stores := map[string]vectors.Seeded{"memory": model, "memory that does not select": in(model, struct{ graph.Store }{model.Store})}
		for name, store := range kept {
			s := seed(r, store, g)
			defer remove(r, s, g)
			stores[name] = s
		}
		for range 2 {
			askAll(r, model, stores, querytest.Queries(g).Draw(r, "query"))
		}
	})
}

// askAll asks a query of every store as everybody, with effort that was rolled.
func askAll(r *rapid.T, model vectors.Seeded, stores map[string]vectors.Seeded, q query.Query) {
	usual := rapid.Bool().Draw(r, "usual")
	gather, window := rapid.IntRange(1, 6).Draw(r, "gather"), rapid.IntRange(1, 3).Draw(r, "window")
	countOn := rapid.IntRange(0, 4).Draw(r, "countOn")
	for who, caller := range askers {
		obvious, err := querytest.Obvious(r.Context(), auth.New(model.Store, auth.Rules{}).As(caller), querytest.Real(model, q))
		if err != nil {
			r.Fatal(err)
		}
		want := inCase(model, obvious)
		for name, s := range stores {
			view := auth.New(s.Store, auth.Rules{}).As(caller)
			var got query.Answer
			if usual {
				got, err = query.Run(r.Context(), view, querytest.Real(s, q))
			} else {
				got, err = query.RunWith(r.Context(), view, querytest.Real(s, q), gather, window, countOn)
			}
			asked, _ := json.Marshal(q) //nolint:errchkjson // a query can be written
			if err != nil {
				r.Fatalf("%s, as %s: %s: %v", name, who, asked, err)
			}
			if q.CountAll && got.AtLeast {
				r.Fatalf("%s, as %s: counts only at least %d for\n%s", name, who, got.Total, asked)
			}
			if diff := querytest.Same(want, inCase(s, got)); diff != "" {
				r.Fatalf("%s, as %s, answers\n%s\n%s\n%s", name, who, asked, got.Plan, diff)
			}
		}
	}
}

// uncut lets everybody see the records inside of others, so that nothing is cut off from its composition: of that,
// filters may find more than walks do.
func uncut(g vectors.Graph) {
	records := map[graph.ID]*vectors.Concept{}
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

// A sender is told from all others by its number.
type sender struct {
	graph.Store
	number int64
}

func (s sender) Write(ctx context.Context, b graph.Batch) (graph.Receipt, error) {
	b.Sender.Randomizer = s.number
	return s.Store.Write(ctx, b)
}

// seed writes a graph beside what is in the store.
func seed(r *rapid.T, store graph.Store, g vectors.Graph) vectors.Seeded {
	changes, err := store.LastSeq(r.Context())
	if err != nil {
		r.Fatal(err)
	}
	s, err := vectors.Write(r.Context(), sender{store, int64(changes)}, g)
	if err != nil {
		r.Fatal(err)
	}
	if !slices.IsSorted(realIDs(s, g)) {
		r.Fatal("the records of a batch are numbered out of order")
	}
	return in(s, store)
}

func in(s vectors.Seeded, store graph.Store) vectors.Seeded {
	s.Store = store
	return s
}

// remove takes a graph out again.
func remove(r *rapid.T, s vectors.Seeded, g vectors.Graph) {
	gone := graph.Batch{Sender: graph.Sender{User: 7}, RemoveConcepts: realIDs(s, g)}
	if _, err := s.Write(context.WithoutCancel(r.Context()), gone); err != nil {
		r.Error(err)
	}
}

func realIDs(s vectors.Seeded, g vectors.Graph) []graph.ID {
	ids := make([]graph.ID, len(g.Concepts))
	for i, c := range g.Concepts {
		ids[i] = s.Real(c.ID)
	}
	return ids
}

// inCase is an answer in the ids of the case.
func inCase(s vectors.Seeded, a query.Answer) query.Answer {
	a.Roots, a.Links, a.Reverse = s.CaseIDs(a.Roots), s.CaseIDs(a.Links), s.CaseIDs(a.Reverse)
	a.Concepts = slices.Sorted(slices.Values(s.CaseIDs(a.Concepts)))
	a.Counts = slices.Clone(a.Counts)
	for i, c := range a.Counts {
		a.Counts[i] = graph.LinkCount{Of: s.Case(c.Of), Type: s.Case(c.Type), N: c.N}
	}
	slices.SortFunc(a.Counts, func(a, b graph.LinkCount) int { // types may be older than the case
		return cmp.Or(cmp.Compare(a.Of, b.Of), cmp.Compare(a.Type, b.Type))
	})
	a.Groups = slices.Clone(a.Groups)
	for i, groups := range a.Groups {
		a.Groups[i].Top = slices.Clone(groups.Top)
		for j, top := range groups.Top {
			a.Groups[i].Top[j].Concept = s.Case(top.Concept)
		}
	}
	a.Connections = slices.Clone(a.Connections)
	for i := range a.Connections {
		c := &a.Connections[i]
		c.ID, c.From, c.To, c.Type = s.Case(c.ID), s.Case(c.From), s.Case(c.To), s.Case(c.Type)
	}
	return a
}
