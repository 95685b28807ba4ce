package query_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/query"
	"github.com/weft-graph/weft/query/querytest"
	"github.com/weft-graph/weft/shop"
	"github.com/weft-graph/weft/store/memory"
)

// A walking reader counts the walks of the sets that it selects from.
type walking struct {
	selecting
	walks *int
}

func (w walking) Select(ctx context.Context, s graph.Selection) ([]graph.ID, error) {
	*w.walks += walksOf(s.Set)
	return w.selecting.Select(ctx, s)
}

func walksOf(set graph.Set) (n int) {
	switch set := set.(type) {
	case graph.Linked:
		return 1 + walksOf(set.Far)
	case graph.Holders:
		return 1 + walksOf(set.Of)
	case graph.Except:
		return walksOf(set.Of)
	case graph.Both:
		for _, side := range set {
			n += walksOf(side)
		}
	case graph.Either:
		for _, side := range set {
			n += walksOf(side)
		}
	}
	return n
}

// TestManyFilters puts as many filters as there may be on one hop.
func TestManyFilters(t *testing.T) {
	store := memory.New()
	if err := shop.Generate(t.Context(), store, shop.Size{Customers: 50, Orders: 150, Products: 20}, nil); err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		op               graph.Op
		before, between  string
		questions, walks int
		plain            int // questions to a reader that does not select
	}{
		"one of them":  {"", "", " OR ", 6, 1, 2_006}, // gathered one after the other
		"none of them": {"", "NOT ", " AND NOT ", 6, 1, 13},
		"all but each": {graph.NotEqual, "", " AND ", 8, 1, 13},
	} {
		t.Run(what, func(t *testing.T) {
			q := query.Query{Type: "the_order", Hops: []query.Query{{Connection: "the_order_date", Name: "date"}}}
			var names []string
			for i := range query.MaxFilters {
				name := fmt.Sprint("f", i)
				q.Filters = append(q.Filters, query.Filter{
					Name: name, On: "date", Type: "the_date", Op: c.op, Search: fmt.Sprintf("%d-%02d-%02d", 2021+i/360, 1+i/30%12, 1+i%30),
				})
				names = append(names, name)
			}
			q.Logic = c.before + strings.Join(names, c.between)
			want, err := querytest.Obvious(t.Context(), store, q)
			if err != nil {
				t.Fatal(err)
			}
			walks, asked := 0, &questioned{Reader: store}
			got, err := query.Run(t.Context(), walking{selecting{asked, store}, &walks}, q)
			if err != nil {
				t.Fatal(err)
			}
			if diff := querytest.Same(want, got); diff != "" {
				t.Error(diff)
			}
			if asked.n > c.questions || walks > c.walks || len(got.Roots) == 0 {
				t.Errorf("%d questions of %d walks for %d roots; at most %d of %d are needed\n%s",
					asked.n, walks, len(got.Roots), c.questions, c.walks, got.Plan)
			}
			plain := &questioned{Reader: store}
			got, err = query.Run(t.Context(), plain, q)
			if err != nil {
				t.Fatal(err)
			}
			if diff := querytest.Same(want, got); diff != "" || plain.n > c.plain {
				t.Errorf("%d questions that select nothing; at most %d are needed\n%s%s", plain.n, c.plain, diff, got.Plan)
			}
		})
	}
}
