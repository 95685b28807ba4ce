package query_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/query"
	"github.com/weft-graph/weft/shop"
	"github.com/weft-graph/weft/store/memory"
)

// A questioned reader counts every question that it is asked about concepts and connections.
type questioned struct {
	graph.Reader
	n int
}

func (q *questioned) Concepts(ctx context.Context, ids []graph.ID) ([]graph.Concept, error) {
	q.n++
	return q.Reader.Concepts(ctx, ids)
}

func (q *questioned) ConceptsByValue(ctx context.Context, keys []graph.ValueKey) ([]graph.Concept, error) {
	q.n++
	return q.Reader.ConceptsByValue(ctx, keys)
}

func (q *questioned) ConceptsByType(ctx context.Context, typ graph.ID, page graph.Page) ([]graph.Concept, error) {
	q.n++
	return q.Reader.ConceptsByType(ctx, typ, page)
}

func (q *questioned) CountByType(ctx context.Context, typ graph.ID, atMost int) (int, error) {
	q.n++
	return q.Reader.CountByType(ctx, typ, atMost)
}

func (q *questioned) Links(ctx context.Context, l graph.Links) ([]graph.Connection, error) {
	q.n++
	return q.Reader.Links(ctx, l)
}

func (q *questioned) CountLinks(ctx context.Context, l graph.Links) ([]graph.LinkCount, error) {
	q.n++
	return q.Reader.CountLinks(ctx, l)
}

// A selecting reader is questioned and selects.
type selecting struct {
	*questioned
	sets interface {
		graph.Selector
		graph.Sizer
	}
}

func (s selecting) Select(ctx context.Context, selection graph.Selection) ([]graph.ID, error) {
	s.n++
	return s.sets.Select(ctx, selection)
}

func (s selecting) Sizes(ctx context.Context, types []graph.ID) ([]graph.Size, error) {
	s.n++
	return s.sets.Sizes(ctx, types)
}

func TestFilteredQuestions(t *testing.T) {
	store := memory.New()
	if err := shop.Generate(t.Context(), store, shop.Size{Customers: 300, Orders: 1_500, Products: 50}, nil); err != nil {
		t.Fatal(err)
	}
	for what, c := range shopQueries {
		t.Run(what, func(t *testing.T) {
			plain, selected := &questioned{Reader: store}, selecting{&questioned{Reader: store}, store}
			for _, r := range []struct {
				graph.Reader
				asked *int
				most  int
			}{{plain, &plain.n, c.plain}, {selected, &selected.n, c.selected}} {
				a, err := query.Run(t.Context(), r.Reader, c.query)
				if err != nil {
					t.Fatal(err)
				}
				if *r.asked > r.most || len(a.Roots) == 0 {
					t.Errorf("%d questions, to find %d roots; at most %d are needed\n%s", *r.asked, len(a.Roots), r.most, a.Plan)
				}
			}
		})
	}
}

// shopQueries are over a shop, with how many questions they may ask a plain reader and one that selects.
var shopQueries = map[string]struct {
	query           query.Query
	plain, selected int
}{
	"a value three hops away": {query.Query{
		Type:    "the_customer",
		Filters: []query.Filter{{Name: "f", On: "department", Type: "the_department", Search: "Kitchen"}}, Logic: "f",
		Hops: []query.Query{{Connection: "the_order_customer", Reverse: true, Hops: []query.Query{{
			Connection: "the_order_s_line", Hops: []query.Query{{Connection: "the_line_product", Hops: []query.Query{{
				Connection: "the_product_s_category", Hops: []query.Query{{Connection: "the_category_department", Name: "department"}},
			}}}},
		}}}},
	}, 21, 10},
	"a range, one page of it": {query.Query{
		Type: "the_order", PageSize: 50, Filters: []query.Filter{{Name: "f", On: "date", Type: "the_date", Op: graph.GreaterOrEqual, Search: "2020-01-01"}},
		Logic: "f", Hops: []query.Query{{Connection: "the_order_date", Name: "date"}},
	}, 11, 9},
	"either": {query.Query{
		Type: "the_customer", Logic: "a OR b",
		Filters: []query.Filter{{Name: "a", On: "name", Type: "the_name", Op: graph.Like, Search: "a"}, {Name: "b", On: "city", Type: "the_city", Op: graph.Like, Search: "b"}},
		Hops:    []query.Query{{Connection: "the_customer_name", Name: "name"}, {Connection: "the_customer_city", Name: "city"}},
	}, 14, 7},
	"nothing there": {query.Query{
		Type: "the_customer", Logic: "NOT f", Filters: []query.Filter{{Name: "f", On: "email", Op: query.Exists}},
		Hops: []query.Query{{Connection: "the_customer_email", Name: "email"}},
	}, 4, 4},
	"both under one": {query.Query{
		Type: "the_order", Logic: "many EXAND cheap",
		Filters: []query.Filter{
			{Name: "many", On: "quantity", Type: "the_quantity", Op: graph.Greater, Search: "10"},
			{Name: "cheap", On: "price", Type: "the_price", Op: graph.Less, Search: "20"},
		},
		Hops: []query.Query{{Connection: "the_order_s_line", Hops: []query.Query{
			{Connection: "the_line_quantity", Name: "quantity"},
			{Connection: "the_line_product", Hops: []query.Query{{Connection: "the_product_price", Name: "price"}}},
		}}},
	}, 21, 11},
}

// TestValuesAreAskedForOnce asks for as many values as a logic may mention.
func TestValuesAreAskedForOnce(t *testing.T) {
	store := memory.New()
	if err := shop.Generate(t.Context(), store, shop.Size{Customers: 100, Orders: 200, Products: 20}, nil); err != nil {
		t.Fatal(err)
	}
	for different, most := range map[int]int{1: 4, 20: 10, 1_000: 20} {
		q := query.Query{Type: "the_order", Hops: []query.Query{{Connection: "the_order_date", Name: "date"}}}
		var names []string
		for i := range 5_000 {
			name := fmt.Sprint("f", i%different)
			if i < different {
				q.Filters = append(q.Filters, query.Filter{Name: name, On: "date", Type: "the_date", Op: graph.Less, Search: fmt.Sprint(1900+i, "-01-01")})
			}
			names = append(names, name)
		}
		q.Logic = strings.Join(names, " OR ")
		asked := &questioned{Reader: store}
		a, err := query.Run(t.Context(), selecting{asked, store}, q)
		if err != nil {
			t.Fatal(err)
		}
		if asked.n > most {
			t.Errorf("%d questions for %d different filters; at most %d are needed\n%s", asked.n, different, most, a.Plan)
		}
	}
}

// TestWhatIsExpectedOfValues compares what was expected with what came, where the values of a filter are known.
func TestWhatIsExpectedOfValues(t *testing.T) {
	store := memory.New()
	if err := shop.Generate(t.Context(), store, shop.Size{Customers: 2_000, Orders: 4_000, Products: 20}, nil); err != nil {
		t.Fatal(err)
	}
	a, err := query.Run(t.Context(), store, query.Query{
		Type: "the_customer", PageSize: 1_000, Logic: "f", Filters: []query.Filter{{Name: "f", On: "name", Type: "the_name", Op: graph.Like, Search: "an"}},
		Hops: []query.Query{{Connection: "the_customer_name", Name: "name"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if gather := a.Plan.Steps[2]; gather.Estimated < a.Total*9/10 || gather.Estimated > a.Total*11/10 || a.Total < 100 {
		t.Errorf("%d pass; what was expected is\n%s", a.Total, a.Plan)
	}
}
