package query_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/dataset/shop"
	"github.com/weft-graph/weft/internal/querytest"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/query"
)

// A hopCounting reader counts the hops in the sets that it selects from.
type hopCounting struct {
	selecting
	hops *int
}

func (c hopCounting) Select(ctx context.Context, s graph.Selection) ([]graph.ID, error) {
	*c.hops += countHops(s.Set)
	return c.selecting.Select(ctx, s)
}

// countHops returns the number of hops in a set.
func countHops(set graph.Set) (n int) {
	switch set := set.(type) {
	case graph.Linked:
		return 1 + countHops(set.Far)
	case graph.Holders:
		return 1 + countHops(set.Of)
	case graph.Complement:
		return countHops(set.Of)
	case graph.Intersection:
		for _, operand := range set {
			n += countHops(operand)
		}
	case graph.Union:
		for _, operand := range set {
			n += countHops(operand)
		}
	}
	return n
}

// TestManyFilters runs queries with the largest number of filters on one hop.
func TestManyFilters(t *testing.T) {
	store := memory.New()
	if err := shop.Generate(t.Context(), store, shop.Size{Customers: 50, Orders: 150, Products: 20}, nil); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		op                graph.Op
		prefix, separator string // around the names in the logic
		requests, hops    int    // the largest permitted numbers for a selecting reader
		plain             int    // the largest permitted number of requests if the reader is not a Selector
	}{
		"any of them":       {"", "", " OR ", 6, 1, 2_006}, // gathered one at a time
		"none of them":      {"", "NOT ", " AND NOT ", 6, 1, 13},
		"not equal to each": {graph.NotEqual, "", " AND ", 8, 1, 13},
	} {
		t.Run(name, func(t *testing.T) {
			q := query.Query{Type: "the_order", Hops: []query.Query{{Connection: "the_order_date", Name: "date"}}}
			var names []string
			for i := range query.MaxFilters {
				filterName := fmt.Sprint("f", i)
				q.Filters = append(q.Filters, query.Filter{
					Name: filterName, On: "date", Type: "the_date", Op: c.op, Search: fmt.Sprintf("%d-%02d-%02d", 2021+i/360, 1+i/30%12, 1+i%30),
				})
				names = append(names, filterName)
			}
			q.Logic = c.prefix + strings.Join(names, c.separator)
			want, err := querytest.Reference(t.Context(), store, q)
			if err != nil {
				t.Fatal(err)
			}
			hops, counted := 0, &counting{Reader: store}
			got, err := query.Run(t.Context(), hopCounting{selecting{counted, store}, &hops}, q)
			if err != nil {
				t.Fatal(err)
			}
			if diff := querytest.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if counted.n > c.requests || hops > c.hops || len(got.Roots) == 0 {
				t.Errorf("%d requests with %d hops for %d roots; want at most %d with %d\n%s",
					counted.n, hops, len(got.Roots), c.requests, c.hops, got.Plan)
			}
			plain := &counting{Reader: store}
			got, err = query.Run(t.Context(), plain, q)
			if err != nil {
				t.Fatal(err)
			}
			if diff := querytest.Diff(want, got); diff != "" || plain.n > c.plain {
				t.Errorf("%d requests without a selector; want at most %d\n%s%s", plain.n, c.plain, diff, got.Plan)
			}
		})
	}
}
