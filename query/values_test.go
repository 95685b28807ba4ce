package query_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/dataset/shop"
	"github.com/weft-graph/weft/internal/querytest"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/query"
)

// An unselecting reader returns the error err for every selection.
type unselecting struct {
	*counting
	err error
}

func (u unselecting) Select(context.Context, graph.Selection) ([]graph.ID, error) {
	return nil, u.err
}

func TestValueFiltersWithoutSelector(t *testing.T) {
	store := memory.New()
	if err := shop.Generate(t.Context(), store, shop.Size{Customers: 20, Orders: 50, Products: 20}, nil); err != nil {
		t.Fatal(err)
	}
	q := query.Query{Type: "the_order", Hops: []query.Query{{Connection: "the_order_date", Name: "date"}}}
	var names []string
	for i := range 100 {
		name := fmt.Sprint("f", i)
		q.Filters = append(q.Filters, query.Filter{Name: name, On: "date", Type: "the_date", Op: graph.Less, Search: fmt.Sprint(1990+i, "-01-01")})
		names = append(names, name)
	}
	q.Logic = strings.Join(names, " OR ")

	r := unselecting{&counting{Reader: store}, errors.ErrUnsupported}
	a, err := query.Run(t.Context(), r, q)
	if err != nil || a.Total != 50 {
		t.Fatalf("%d roots pass, %v", a.Total, err)
	}
	if plan := a.Plan.String(); strings.Count(plan, "resolve the values") > 1 {
		t.Errorf("value filters are resolved repeatedly:\n%s", plan)
	}

	r.err = errLost
	a, err = query.Run(t.Context(), r, q)
	if !errors.Is(err, errLost) || !strings.HasPrefix(a.Plan.String(), "the_order (actual 0)\n  resolve the values of f0, ") {
		t.Errorf("the error = %v, the plan:\n%s\nwant errLost, and a plan that starts with resolving the values of f0", err, a.Plan)
	}
}

// TestValuesOfOverlappingFilters resolves many filters together, some of which match the same values.
func TestValuesOfOverlappingFilters(t *testing.T) {
	store := memory.New()
	if err := shop.Generate(t.Context(), store, shop.Size{Customers: 20, Orders: 100, Products: 20}, nil); err != nil {
		t.Fatal(err)
	}
	for _, op := range []graph.Op{graph.Equal, graph.Like, graph.Less, graph.GreaterOrEqual} {
		q := query.Query{Type: "the_order", PageSize: 100, Hops: []query.Query{{
			Connection: "the_order_s_line", Hops: []query.Query{{Connection: "the_line_quantity", Name: "quantity"}},
		}}}
		var sides []string
		for i := range 20 {
			q.Filters = append(q.Filters, query.Filter{Name: fmt.Sprint("f", i), On: "quantity", Type: "the_quantity", Op: op, Search: fmt.Sprint(i)})
			sides = append(sides, fmt.Sprintf("f%d AND f%d AND NOT f%d", i, (i+1)%20, (i+3)%20))
		}
		q.Logic = strings.Join(sides, " OR ")
		want, err := querytest.Reference(t.Context(), store, q)
		if err != nil {
			t.Fatal(err)
		}
		for _, values := range []int{1, 5, 1_000} {
			got, err := query.RunWithThresholds(t.Context(), store, q, query.Thresholds{Gather: values, Window: 10, ExactCount: 100})
			if err != nil {
				t.Fatal(err)
			}
			if diff := querytest.Diff(want, got); diff != "" {
				t.Errorf("%s, %d roots:\n%s\n%s", op, len(got.Roots), got.Plan, diff)
			}
		}
	}
}
