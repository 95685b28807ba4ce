package query_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/query"
	"github.com/weft-graph/weft/shop"
	"github.com/weft-graph/weft/store/memory"
)

// An unselecting reader has the same error for every selection.
type unselecting struct {
	*questioned
	err error
}

func (u unselecting) Select(context.Context, graph.Selection) ([]graph.ID, error) {
	return nil, u.err
}

func TestValuesThatCannotBeSelected(t *testing.T) {
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

	r := unselecting{&questioned{Reader: store}, errors.ErrUnsupported}
	a, err := query.Run(t.Context(), r, q)
	if err != nil || a.Total != 50 {
		t.Fatalf("%d pass (%v)", a.Total, err)
	}
	if plan := a.Plan.String(); strings.Count(plan, "look for the values") > 1 {
		t.Errorf("values are looked for again and again:\n%s", plan)
	}

	r.err = errLost
	a, err = query.Run(t.Context(), r, q)
	if !errors.Is(err, errLost) || !strings.HasPrefix(a.Plan.String(), "the_order (actual 0)\n  look for the values of f0, ") {
		t.Errorf("with %v came the plan\n%s", err, a.Plan)
	}
}
