package shop_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/dataset/shop"
	"github.com/weft-graph/weft/internal/store/memory"
)

var small = shop.Size{Customers: 40, Orders: 3_100, Products: 30} // more orders than go into one batch

func TestGenerate(t *testing.T) {
	store := memory.New()
	var last shop.Progress
	if err := shop.Generate(t.Context(), store, small, func(p shop.Progress) { last = p }); err != nil {
		t.Fatal(err)
	}
	if last.Done != last.Total || last.Total != 40+3_100+30 {
		t.Errorf("the final progress = %d of %d; want all of 3,170", last.Done, last.Total)
	}
	if err := store.Check(t.Context()); err != nil {
		t.Error(err)
	}
	types, err := graph.TypesNamed(t.Context(), store, "the_customer", "the_product", "the_order", "the_line", "the_status", "the_department")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for name, typ := range types {
		if got[name], err = store.CountByType(t.Context(), typ.ID, 0); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]int{
		"the_customer": 40, "the_product": 30, "the_order": 3_100, "the_line": 3_100 * shop.LinesPerOrder, "the_status": 5, "the_department": 5,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("counts by type (-want +got):\n%s", diff)
	}
}

func TestOrdersAreComplete(t *testing.T) {
	store := memory.New()
	if err := shop.Generate(t.Context(), store, small, nil); err != nil {
		t.Fatal(err)
	}
	private := 0
	for _, order := range instances(t, store, "the_order") {
		links, err := store.Links(t.Context(), graph.Links{Of: []graph.ID{order.ID}})
		if err != nil || len(links) != 4+shop.LinesPerOrder {
			t.Fatalf("order %d has %d connections, %v; want %d", order.ID, len(links), err, 4+shop.LinesPerOrder)
		}
		for _, l := range links {
			if l.Owner != order.Owner || l.Access != order.Access {
				t.Fatalf("order %d belongs to %d with access %d, its connection %d to %d with %d",
					order.ID, order.Owner, order.Access, l.ID, l.Owner, l.Access)
			}
		}
		if order.Scope() != 0 {
			private++
		}
	}
	if private != 310 {
		t.Errorf("%d of 3,100 orders are private", private)
	}
}

func TestGenerateIsDeterministic(t *testing.T) {
	if a, b := values(t, small), values(t, small); !slices.Equal(a, b) {
		t.Error("two shops of the same size differ")
	}
	other := small
	other.Customers++
	if slices.Equal(values(t, small), values(t, other)) {
		t.Error("shops of different sizes are equal")
	}
}

func TestGenerateErrors(t *testing.T) {
	store := memory.New()
	tiny := shop.Size{Customers: 1, Orders: 1, Products: 1}
	if err := shop.Generate(t.Context(), store, shop.Size{}, nil); graph.KindOf(err) != graph.Invalid {
		t.Errorf("generating an empty shop: %v; want Invalid", err)
	}
	if err := shop.Generate(t.Context(), store, tiny, nil); err != nil {
		t.Fatal(err)
	}
	if err := shop.Generate(t.Context(), store, tiny, nil); graph.KindOf(err) != graph.Conflict {
		t.Errorf("generating a second shop: %v; want Conflict", err)
	}
}

func values(t *testing.T, size shop.Size) (all []string) {
	t.Helper()
	store := memory.New()
	if err := shop.Generate(t.Context(), store, size, nil); err != nil {
		t.Fatal(err)
	}
	for _, typ := range []string{"the_name", "the_city", "the_email", "the_title", "the_price", "the_total", "the_date"} {
		for _, c := range instances(t, store, typ) {
			links, err := store.CountLinks(t.Context(), graph.Links{Of: []graph.ID{c.ID}, Direction: graph.In})
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, fmt.Sprint(c.Value, links))
		}
	}
	return all
}

func instances(t *testing.T, store graph.Store, name string) []graph.Concept {
	t.Helper()
	types, err := graph.TypesNamed(t.Context(), store, name)
	if err != nil {
		t.Fatal(err)
	}
	found, err := store.ConceptsByType(t.Context(), types[name].ID, graph.Page{})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
