package query_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/dataset/shop"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/query"
)

// A counting reader counts the requests for concepts and connections.
type counting struct {
	graph.Reader
	n int // number of requests
}

func (c *counting) Concepts(ctx context.Context, ids []graph.ID) ([]graph.Concept, error) {
	c.n++
	return c.Reader.Concepts(ctx, ids)
}

func (c *counting) ConceptsByValue(ctx context.Context, keys []graph.ValueKey) ([]graph.Concept, error) {
	c.n++
	return c.Reader.ConceptsByValue(ctx, keys)
}

func (c *counting) ConceptsByType(ctx context.Context, typ graph.ID, page graph.Page) ([]graph.Concept, error) {
	c.n++
	return c.Reader.ConceptsByType(ctx, typ, page)
}

func (c *counting) CountByType(ctx context.Context, typ graph.ID, atMost int) (int, error) {
	c.n++
	return c.Reader.CountByType(ctx, typ, atMost)
}

func (c *counting) Links(ctx context.Context, l graph.Links) ([]graph.Connection, error) {
	c.n++
	return c.Reader.Links(ctx, l)
}

func (c *counting) CountLinks(ctx context.Context, l graph.Links) ([]graph.LinkCount, error) {
	c.n++
	return c.Reader.CountLinks(ctx, l)
}

// A selecting reader is a counting reader with the optional capabilities.
type selecting struct {
	*counting
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

func TestRequestsOfFilteredQueries(t *testing.T) {
	store := memory.New()
	if err := shop.Generate(t.Context(), store, shop.Size{Customers: 300, Orders: 1_500, Products: 50}, nil); err != nil {
		t.Fatal(err)
	}
	for name, c := range shopQueries {
		t.Run(name, func(t *testing.T) {
			plain, selected := &counting{Reader: store}, selecting{&counting{Reader: store}, store}
			for _, r := range []struct {
				graph.Reader
				requests    *int
				maxRequests int
			}{{plain, &plain.n, c.plain}, {selected, &selected.n, c.selected}} {
				a, err := query.Run(t.Context(), r.Reader, c.query)
				if err != nil {
					t.Fatal(err)
				}
				if *r.requests > r.maxRequests || len(a.Roots) == 0 {
					t.Errorf("%d requests for %d roots; want at most %d\n%s", *r.requests, len(a.Roots), r.maxRequests, a.Plan)
				}
			}
		})
	}
}

// shopQueries are queries over a shop.
var shopQueries = map[string]struct {
	query           query.Query
	plain, selected int // the largest permitted numbers of requests to a plain and to a selecting reader
}{
	"a value several hops away": {query.Query{
		Type:    "the_customer",
		Filters: []query.Filter{{Name: "f", On: "department", Type: "the_department", Search: "Kitchen"}}, Logic: "f",
		Hops: []query.Query{{Connection: "the_order_customer", Reverse: true, Hops: []query.Query{{
			Connection: "the_order_s_line", Hops: []query.Query{{Connection: "the_line_product", Hops: []query.Query{{
				Connection: "the_product_s_category", Hops: []query.Query{{Connection: "the_category_department", Name: "department"}},
			}}}},
		}}}},
	}, 21, 10},
	"one page of the roots in a range": {query.Query{
		Type: "the_order", PageSize: 50, Filters: []query.Filter{{Name: "f", On: "date", Type: "the_date", Op: graph.GreaterOrEqual, Search: "2020-01-01"}},
		Logic: "f", Hops: []query.Query{{Connection: "the_order_date", Name: "date"}},
	}, 11, 9},
	"either of two filters": {query.Query{
		Type: "the_customer", Logic: "a OR b",
		Filters: []query.Filter{{Name: "a", On: "name", Type: "the_name", Op: graph.Like, Search: "a"}, {Name: "b", On: "city", Type: "the_city", Op: graph.Like, Search: "b"}},
		Hops:    []query.Query{{Connection: "the_customer_name", Name: "name"}, {Connection: "the_customer_city", Name: "city"}},
	}, 14, 7},
	"a negated existence": {query.Query{
		Type: "the_customer", Logic: "NOT f", Filters: []query.Filter{{Name: "f", On: "email", Op: query.Exists}},
		Hops: []query.Query{{Connection: "the_customer_email", Name: "email"}},
	}, 4, 4},
	"two filters under one concept": {query.Query{
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

// TestRepeatedFiltersAreResolvedOnce mentions filters as often as a logic expression may.
func TestRepeatedFiltersAreResolvedOnce(t *testing.T) {
	store := memory.New()
	if err := shop.Generate(t.Context(), store, shop.Size{Customers: 100, Orders: 200, Products: 20}, nil); err != nil {
		t.Fatal(err)
	}
	for different, maxRequests := range map[int]int{1: 4, 20: 10, 1_000: 20} {
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
		counted := &counting{Reader: store}
		a, err := query.Run(t.Context(), selecting{counted, store}, q)
		if err != nil {
			t.Fatal(err)
		}
		if counted.n > maxRequests {
			t.Errorf("%d requests for %d different filters; want at most %d\n%s", counted.n, different, maxRequests, a.Plan)
		}
	}
}

// TestEstimatesOfResolvedValuesAreWithinTenPercent compares the estimate for a resolved value filter with the actual number.
func TestEstimatesOfResolvedValuesAreWithinTenPercent(t *testing.T) {
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
		t.Errorf("%d roots pass and %d are estimated; want 100 or more, and an estimate within 10 %%\n%s", a.Total, gather.Estimated, a.Plan)
	}
}

// A pairCounting reader counts the combinations of source and type that a store looks up.
type pairCounting struct {
	graph.Store
	lookups int
}

func (c *pairCounting) Links(ctx context.Context, l graph.Links) ([]graph.Connection, error) {
	c.lookups += len(l.Of) * len(l.Types)
	return c.Store.Links(ctx, l)
}

func (c *pairCounting) PairLinks(ctx context.Context, p graph.LinkPairs) ([]graph.Connection, error) {
	c.lookups += len(p.Pairs)
	return graph.ForwardSets(c.Store).PairLinks(ctx, p)
}

// TestPartsOfAPageAreLookedUpOncePerRecord reads a page of compositions with their parts.
func TestPartsOfAPageAreLookedUpOncePerRecord(t *testing.T) {
	store := memory.New()
	batch := graph.Batch{Sender: graph.Sender{User: graph.System}}
	for i := range 60 {
		contact, name := -graph.ID(2*i+1), -graph.ID(2*i+2)
		batch.Concepts = append(batch.Concepts,
			graph.ConceptDraft{LocalID: contact, Kind: graph.DraftComposition, TypeName: "the_contact", Access: graph.Public},
			graph.ConceptDraft{LocalID: name, Kind: graph.DraftValue, TypeName: "the_name", Value: fmt.Sprint("name ", i), Access: graph.Public})
		batch.Connections = append(batch.Connections, graph.ConnectionDraft{From: contact, Type: contact, To: name, Order: graph.OrderLink, Access: graph.Public})
	}
	if _, err := store.Write(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	r := &pairCounting{Store: store}
	a, err := query.Run(t.Context(), r, query.Query{
		Type: "the_contact", PageSize: 50, OrderBy: []query.OrderBy{{Field: "the_name"}}, Hops: []query.Query{{Connection: query.Self, Direct: true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Links) != 50 || r.lookups > 110 { // also one for each root that is sorted, because this reader has no keys
		t.Errorf("%d lookups for %d parts; want at most 110 for 50", r.lookups, len(a.Links))
	}
}
