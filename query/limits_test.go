package query_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/querytest"
	"github.com/weft-graph/weft/internal/spec"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/query"
)

// A failing reader fails after a number of requests.
type failing struct {
	graph.Reader
	requestsLeft int
}

var errLost = errors.New("store is lost")

func (f *failing) countRequest() error {
	if f.requestsLeft--; f.requestsLeft < 0 {
		return errLost
	}
	return nil
}

func (f *failing) Concepts(ctx context.Context, ids []graph.ID) ([]graph.Concept, error) {
	if err := f.countRequest(); err != nil {
		return nil, err
	}
	return f.Reader.Concepts(ctx, ids)
}

func (f *failing) ConceptsByType(ctx context.Context, typ graph.ID, page graph.Page) ([]graph.Concept, error) {
	if err := f.countRequest(); err != nil {
		return nil, err
	}
	return f.Reader.ConceptsByType(ctx, typ, page)
}

func (f *failing) CountByType(ctx context.Context, typ graph.ID, atMost int) (int, error) {
	if err := f.countRequest(); err != nil {
		return 0, err
	}
	return f.Reader.CountByType(ctx, typ, atMost)
}

func (f *failing) Links(ctx context.Context, l graph.Links) ([]graph.Connection, error) {
	if err := f.countRequest(); err != nil {
		return nil, err
	}
	return f.Reader.Links(ctx, l)
}

func (f *failing) CountLinks(ctx context.Context, l graph.Links) ([]graph.LinkCount, error) {
	if err := f.countRequest(); err != nil {
		return nil, err
	}
	return f.Reader.CountLinks(ctx, l)
}

func TestRunReturnsErrorsOfTheReader(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		g := querytest.Graphs().Draw(r, "graph")
		store, err := spec.Write(t.Context(), memory.New(), g)
		if err != nil {
			r.Fatal(err)
		}
		q := querytest.WithRealIDs(store, querytest.Queries(g).Draw(r, "query"))
		reader := &failing{store, rapid.IntRange(0, 20).Draw(r, "requests")}
		_, err = query.Run(t.Context(), reader, q)
		if failed := reader.requestsLeft < 0; failed != errors.Is(err, errLost) {
			r.Fatalf("the reader failed: %v; the query: %v", failed, err)
		}
	})
}

// Without a Selector, no filter of the query can be gathered, because no filter has a type. There are also more filters than one
// attempt tries to gather.
func TestOrderedRootsAreFoundIfNoFilterCanBeGathered(t *testing.T) {
	const roots = 1_200 // more roots than maxExactCount
	b := graph.Batch{Sender: graph.Sender{User: 7}, Concepts: []graph.ConceptDraft{{LocalID: -1, TypeName: "the_city", Value: "Graz"}}}
	for i := range graph.ID(roots) {
		id := -2 - i
		b.Concepts = append(b.Concepts, graph.ConceptDraft{LocalID: id, Kind: graph.DraftComposition, TypeName: "the_n"})
		if i%2 == 0 {
			b.Connections = append(b.Connections, graph.ConnectionDraft{From: id, To: -1, TypeName: "the_link"})
		}
	}
	store := memory.New()
	if _, err := store.Write(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	q := query.Query{
		Type: "the_n", PageSize: 10, OrderBy: []query.OrderBy{{Field: "the_city"}}, Logic: "a AND b AND c AND d",
		Hops: []query.Query{{Connection: "the_link", Name: "city"}},
	}
	for name, search := range map[string]string{"a": "A", "b": "B", "c": "C", "d": "D"} {
		q.Filters = append(q.Filters, query.Filter{Name: name, On: "city", Op: graph.Greater, Search: search})
	}
	a, err := query.Run(t.Context(), plain{store}, q)
	if err != nil || len(a.Roots) != 10 || a.Total != roots/2 {
		t.Errorf("%d roots of %d, %v; want 10 of %d", len(a.Roots), a.Total, err, roots/2)
	}
}

// buildCycle returns a graph whose concepts form a cycle: each leads to the next, and the last to the first. A second
// relation leads halfway around the cycle.
func buildCycle(t testing.TB, n int) (graph.Store, []graph.ID) {
	return buildGraph(t, n, func(i int) [][3]int { return [][3]int{{i, (i + 1) % n, 0}, {i, (i + n/2) % n, 1}} })
}

func TestDeepHopsOverCycles(t *testing.T) {
	store, ids := buildCycle(t, 2_000)
	deep := func(name string, reverse bool) query.Query {
		q := query.Query{Connection: relations[0], Depth: query.MaxHopDepth, Reverse: reverse, Name: name}
		for range query.MaxLevels - 2 {
			q = query.Query{Connection: relations[0], Depth: query.MaxHopDepth, Reverse: reverse, Hops: []query.Query{q}}
		}
		return q
	}
	for _, reverse := range []bool{false, true} {
		for name, reader := range map[string]graph.Reader{"a selecting reader": store, "a plain reader": plain{store}} {
			t.Run(fmt.Sprint(name, " reverse ", reverse), func(t *testing.T) {
				q := query.Query{
					Type: "the_n", Hops: []query.Query{deep("far", reverse)}, Logic: "f", CountAll: true,
					Filters: []query.Filter{{Name: "f", On: "far", Type: query.FieldID, Search: ids[7].String()}},
				}
				a, err := query.Run(t.Context(), reader, q)
				if err != nil {
					t.Fatal(err)
				}
				if a.Total != len(ids) || a.AtLeast {
					t.Errorf("%d roots; want all %d\n%s", a.Total, len(ids), a.Plan)
				}
			})
		}
	}
}

func TestExtremeQueriesMatchTheReference(t *testing.T) {
	store, ids := buildCycle(t, 50)
	manyFilters := query.Query{Type: "the_n", Logic: "f0"}
	for i := range query.MaxFilters {
		manyFilters.Filters = append(manyFilters.Filters, query.Filter{Name: fmt.Sprint("f", i), Type: query.FieldID, Op: graph.NotEqual, Search: ids[i%len(ids)].String()})
		if i > 0 {
			manyFilters.Logic += []string{" AND ", " OR NOT "}[i%2] + fmt.Sprint("f", i)
		}
	}
	for name, q := range map[string]query.Query{
		"a thousand filters":          manyFilters,
		"a distant page":              {Type: "the_n", Page: 1_000_000, PageSize: query.MaxPageSize, Filters: manyFilters.Filters, Logic: "f1"},
		"deeply nested NOTs":          {Type: "the_n", Filters: manyFilters.Filters, Logic: strings.Repeat("NOT ", query.MaxLogicDepth) + "f1"},
		"unknown concept ids":         {ConceptIDs: []graph.ID{-1, 7, 1 << 50}, Filters: manyFilters.Filters, Logic: "f1 AND NOT f2"},
		"a filter by an unknown type": {Type: "the_n", Filters: []query.Filter{{Name: "f", Type: "the_unknown", Op: query.Exists}}, Logic: "NOT f"},
	} {
		for _, reader := range []graph.Reader{store, plain{store}} {
			t.Run(name, func(t *testing.T) {
				want, err := querytest.Reference(t.Context(), store, q)
				if err != nil {
					t.Fatal(err)
				}
				got, err := query.Run(t.Context(), reader, q)
				if err != nil {
					t.Fatal(err)
				}
				if diff := querytest.Diff(want, got); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

func TestRunEnforcesRowAndLinkLimits(t *testing.T) {
	store, ids := buildCycle(t, 1_000)
	hops := query.Query{Connection: relations[0], Name: "far"}
	for range query.MaxLevels - 2 {
		hops = query.Query{Connection: relations[0], Hops: []query.Query{hops}}
	}
	for name, q := range map[string]query.Query{
		"links":   {Type: "the_n", PageSize: 1_000, Hops: []query.Query{hops}},
		"filters": {Type: "the_n", Hops: []query.Query{hops}, Logic: "f", Filters: []query.Filter{{Name: "f", On: "far", Op: query.Exists}}},
		"groups": {ConceptIDs: ids, Hops: []query.Query{{
			Connection: relations[0], Depth: query.MaxHopDepth, Hops: []query.Query{{Connection: relations[1], Aggregate: query.Group}},
		}}},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := query.RunWithin(t.Context(), plain{store}, q, 100_000, 100_000); err != nil {
				t.Fatal(err)
			}
			for _, limit := range [][2]int{{1_500, 100_000}, {100_000, 999}} {
				a, err := query.RunWithin(t.Context(), plain{store}, q, limit[0], limit[1])
				if graph.KindOf(err) != graph.TooLarge {
					t.Errorf("within %d: %v; want tooLarge", limit, err)
				}
				if a.Plan == nil || len(a.Roots) > 0 {
					t.Errorf("the answer with the error = %+v; want a plan and no roots", a)
				}
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := query.Run(ctx, plain{store}, query.Query{Type: "the_n"}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v; want context.Canceled", err)
	}
}
