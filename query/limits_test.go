package query_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/vectors"
	"github.com/weft-graph/weft/query"
	"github.com/weft-graph/weft/query/querytest"
	"github.com/weft-graph/weft/store/memory"
)

// A failing reader fails from a question on.
type failing struct {
	graph.Reader
	left int
}

var errLost = errors.New("the store is lost")

func (f *failing) fails() error {
	if f.left--; f.left < 0 {
		return errLost
	}
	return nil
}

func (f *failing) Concepts(ctx context.Context, ids []graph.ID) ([]graph.Concept, error) {
	if err := f.fails(); err != nil {
		return nil, err
	}
	return f.Reader.Concepts(ctx, ids)
}

func (f *failing) ConceptsByType(ctx context.Context, typ graph.ID, page graph.Page) ([]graph.Concept, error) {
	if err := f.fails(); err != nil {
		return nil, err
	}
	return f.Reader.ConceptsByType(ctx, typ, page)
}

func (f *failing) CountByType(ctx context.Context, typ graph.ID, atMost int) (int, error) {
	if err := f.fails(); err != nil {
		return 0, err
	}
	return f.Reader.CountByType(ctx, typ, atMost)
}

func (f *failing) Links(ctx context.Context, l graph.Links) ([]graph.Connection, error) {
	if err := f.fails(); err != nil {
		return nil, err
	}
	return f.Reader.Links(ctx, l)
}

func (f *failing) CountLinks(ctx context.Context, l graph.Links) ([]graph.LinkCount, error) {
	if err := f.fails(); err != nil {
		return nil, err
	}
	return f.Reader.CountLinks(ctx, l)
}

func TestErrorsOfTheReader(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		g := querytest.Graphs().Draw(r, "graph")
		store, err := vectors.Write(t.Context(), memory.New(), g)
		if err != nil {
			r.Fatal(err)
		}
		q := querytest.Real(store, querytest.Queries(g).Draw(r, "query"))
		reader := &failing{store, rapid.IntRange(0, 20).Draw(r, "questions")}
		_, err = query.Run(t.Context(), reader, q)
		if failed := reader.left < 0; failed != errors.Is(err, errLost) {
			r.Fatalf("the reader failed: %v; the query: %v", failed, err)
		}
	})
}

// woven in a circle: every concept leads to the next, and the last to the first.
func circle(t testing.TB, n int) (graph.Store, []graph.ID) {
	return woven(t, n, func(i int) [][3]int { return [][3]int{{i, (i + 1) % n, 0}, {i, (i + n/2) % n, 1}} })
}

func TestCircles(t *testing.T) {
	store, ids := circle(t, 2_000)
	deep := func(name string, reverse bool) query.Query {
		q := query.Query{Connection: relations[0], Depth: query.MaxRepeat, Reverse: reverse, Name: name}
		for range query.MaxDepth - 2 {
			q = query.Query{Connection: relations[0], Depth: query.MaxRepeat, Reverse: reverse, Hops: []query.Query{q}}
		}
		return q
	}
	for _, reverse := range []bool{false, true} {
		for what, reader := range map[string]graph.Reader{"a reader that selects": store, "a plain reader": plain{store}} {
			t.Run(fmt.Sprint(what, " backwards ", reverse), func(t *testing.T) {
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

func TestLimits(t *testing.T) {
	store, ids := circle(t, 50)
	many := query.Query{Type: "the_n", Logic: "f0"}
	for i := range query.MaxFilters {
		many.Filters = append(many.Filters, query.Filter{Name: fmt.Sprint("f", i), Type: query.FieldID, Op: graph.NotEqual, Search: ids[i%len(ids)].String()})
		if i > 0 {
			many.Logic += []string{" AND ", " OR NOT "}[i%2] + fmt.Sprint("f", i)
		}
	}
	for what, q := range map[string]query.Query{
		"a thousand filters":  many,
		"a page far away":     {Type: "the_n", Page: 1_000_000, PageSize: query.MaxPageSize, Filters: many.Filters, Logic: "f1"},
		"very deep NOTs":      {Type: "the_n", Filters: many.Filters, Logic: strings.Repeat("NOT ", query.MaxLogicDepth) + "f1"},
		"concepts not there":  {ConceptIDs: []graph.ID{-1, 7, 1 << 50}, Filters: many.Filters, Logic: "f1 AND NOT f2"},
		"a filter on no type": {Type: "the_n", Filters: []query.Filter{{Name: "f", Type: "the_unheard", Op: query.Exists}}, Logic: "NOT f"},
	} {
		for _, reader := range []graph.Reader{store, plain{store}} {
			t.Run(what, func(t *testing.T) {
				want, err := querytest.Obvious(t.Context(), store, q)
				if err != nil {
					t.Fatal(err)
				}
				got, err := query.Run(t.Context(), reader, q)
				if err != nil {
					t.Fatal(err)
				}
				if diff := querytest.Same(want, got); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

func TestTooMuch(t *testing.T) {
	store, ids := circle(t, 1_000)
	hops := query.Query{Connection: relations[0], Name: "far"}
	for range query.MaxDepth - 2 {
		hops = query.Query{Connection: relations[0], Hops: []query.Query{hops}}
	}
	for what, q := range map[string]query.Query{
		"links":   {Type: "the_n", PageSize: 1_000, Hops: []query.Query{hops}},
		"filters": {Type: "the_n", Hops: []query.Query{hops}, Logic: "f", Filters: []query.Filter{{Name: "f", On: "far", Op: query.Exists}}},
		"groups": {ConceptIDs: ids, Hops: []query.Query{{
			Connection: relations[0], Depth: query.MaxRepeat, Hops: []query.Query{{Connection: relations[1], Aggregate: query.Group}},
		}}},
	} {
		t.Run(what, func(t *testing.T) {
			if _, err := query.RunWithin(t.Context(), plain{store}, q, 100_000, 100_000); err != nil {
				t.Fatal(err)
			}
			for _, most := range [][2]int{{1_500, 100_000}, {100_000, 999}} {
				a, err := query.RunWithin(t.Context(), plain{store}, q, most[0], most[1])
				if graph.KindOf(err) != graph.TooLarge {
					t.Errorf("within %d: %v; want too large", most, err)
				}
				if a.Plan == nil || len(a.Roots) > 0 {
					t.Errorf("with the error came %+v", a)
				}
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := query.Run(ctx, plain{store}, query.Query{Type: "the_n"}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v; want it to end with its context", err)
	}
}
