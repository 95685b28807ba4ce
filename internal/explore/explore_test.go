package explore_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/everystore"
	"github.com/weft-graph/weft/internal/explore"
	"github.com/weft-graph/weft/internal/store/memory"
)

// A shop is a store with one product in many lines, which belong to orders of two customers.
type shop struct {
	graph.Store

	ids map[string]graph.ID
}

// newShop writes a product Pen with lines; every tenth line belongs to an order. Ann has the even orders, Bob the
// odd orders, and both live in Graz. Cid is linked only to his name.
func newShop(t *testing.T, store graph.Store, lines int) *shop {
	t.Helper()
	b := graph.Batch{Sender: graph.Sender{User: graph.System}}
	names := []string{}
	local := func(name string) graph.ID {
		names = append(names, name)
		return graph.ID(-len(names))
	}
	record := func(name, typ string) graph.ID {
		id := local(name)
		b.Concepts = append(b.Concepts, graph.ConceptDraft{LocalID: id, Kind: graph.DraftComposition, TypeName: typ, Access: graph.Public})
		return id
	}
	value := func(name, typ, text string) graph.ID {
		id := local(name)
		b.Concepts = append(b.Concepts, graph.ConceptDraft{LocalID: id, TypeName: typ, Value: text, Access: graph.Public})
		return id
	}
	connect := func(from graph.ID, typ string, to graph.ID) {
		d := graph.ConnectionDraft{From: from, To: to, TypeName: typ, Access: graph.Public}
		if typ == "" {
			d.Type = from
		}
		b.Connections = append(b.Connections, d)
	}
	pen := record("pen", "the_product")
	connect(pen, "the_product_title", value("title", "the_title", "Pen"))
	city := value("graz", "the_city", "Graz")
	var customers []graph.ID
	for _, name := range []string{"Ann", "Bob", "Cid"} {
		id := record(name, "the_customer")
		connect(id, "", value(name+"'s name", "the_name", name))
		customers = append(customers, id)
	}
	connect(customers[0], "", city)
	connect(customers[1], "", city)
	for i := range lines {
		line := record(fmt.Sprint("line ", i), "the_line")
		connect(line, "the_line_product", pen)
		if i%10 == 0 {
			order := record(fmt.Sprint("order ", i), "the_order")
			connect(order, "the_order_s_line", line)
			connect(order, "the_order_customer", customers[(i/10)%2])
			connect(order, "the_order_number", value(fmt.Sprint("number ", i), "the_number", fmt.Sprint("A-", i)))
		}
	}
	receipt, err := store.Write(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	s := &shop{Store: store, ids: map[string]graph.ID{}}
	for i, c := range receipt.Concepts {
		s.ids[names[-1-int(b.Concepts[i].LocalID)]] = c.ID
	}
	return s
}

func TestOpenCountsLinksAndReturnsTheNearest(t *testing.T) {
	everystore.Run(t, func(t *testing.T, store graph.Store) {
		s := newShop(t, store, 120)
		opened, err := explore.Open(t.Context(), s, s.ids["pen"], 60, 50)
		if err != nil {
			t.Fatal(err)
		}
		want := []explore.Group{{Type: "the_line_product", Reverse: true, Count: 120}, {Type: "the_product_title", Count: 1}}
		if diff := cmp.Diff(want, opened.Groups); diff != "" {
			t.Errorf("the groups (-want +got)\n%s", diff)
		}
		if len(opened.Nodes) != 51 || len(opened.Edges) != 51 {
			t.Errorf("%d nodes and %d edges; want 50 lines and the title", len(opened.Nodes), len(opened.Edges))
		}
		if opened.Node.Label != "Pen" || opened.Node.Type != "the_product" || opened.Node.Kind != explore.Record {
			t.Errorf("the node = %+v; want the record Pen of the_product", opened.Node)
		}
	})
}

func TestNeighborsArePagedAndSearched(t *testing.T) {
	everystore.Run(t, func(t *testing.T, store graph.Store) {
		s := newShop(t, store, 120)
		q := explore.Request{ID: s.ids["pen"], Type: "the_line_product", Reverse: true, Limit: 50}
		seen := map[graph.ID]bool{}
		for pages := 1; ; pages++ {
			page, err := explore.Neighbors(t.Context(), s, q)
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range page.Nodes {
				seen[n.ID] = true
			}
			if q.After = page.Next; page.Next == 0 {
				if pages != 3 {
					t.Errorf("%d pages; want 3", pages)
				}
				break
			}
		}
		if len(seen) != 120 {
			t.Errorf("the pages have %d neighbours; want 120", len(seen))
		}
		page, err := explore.Neighbors(t.Context(), s, explore.Request{ID: s.ids["Ann"], Type: "the_order_customer", Reverse: true, Limit: 50, Search: "a-100"})
		if err != nil || len(page.Nodes) != 1 || page.Nodes[0].Label != "A-100" || len(page.Edges) != 1 || page.Searched != 6 {
			t.Errorf("the search returns %+v, %v", page, err)
		}
		if _, err := explore.Neighbors(t.Context(), s, explore.Request{ID: s.ids["Ann"], Limit: 1_000}); graph.KindOf(err) != graph.Invalid {
			t.Errorf("a page of 1,000: %v; want an Invalid error", err)
		}
	})
}

func TestNeighborsInsideACompositionAreFoundAmongNamedLinks(t *testing.T) {
	everystore.Run(t, func(t *testing.T, store graph.Store) {
		s := newShop(t, store, 10)
		favorite := graph.Batch{Sender: graph.Sender{User: graph.System}, Connections: []graph.ConnectionDraft{
			{From: s.ids["Ann"], To: s.ids["pen"], TypeName: "the_customer_favorite", Access: graph.Public},
		}}
		if _, err := s.Write(t.Context(), favorite); err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string][]graph.ID{"Ann": {s.ids["graz"], s.ids["Ann's name"]}, "order 0": nil} {
			for _, limit := range []int{1, 20} {
				var got []graph.ID
				for q := (explore.Request{ID: s.ids[name], Limit: limit}); ; {
					page, err := explore.Neighbors(t.Context(), s, q)
					if err != nil {
						t.Fatal(err)
					}
					for _, n := range page.Nodes {
						got = append(got, n.ID)
					}
					if q.After = page.Next; page.Next == 0 || len(got) > len(want) {
						break
					}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s, pages of %d (-want +got)\n%s", name, limit, diff)
				}
			}
		}
	})
}

func TestPathPrefersRecordsToValues(t *testing.T) {
	everystore.Run(t, func(t *testing.T, store graph.Store) {
		s := newShop(t, store, 120)
		for _, c := range []struct {
			from, to string
			status   explore.PathStatus
			steps    int
		}{
			{"Ann", "Bob", explore.Found, 6}, // order, line, Pen, line, order: not the two links through Graz
			{"Ann", "graz", explore.Found, 1},
			{"Ann", "Ann", explore.Found, 0},
			{"Ann", "Cid", explore.NoPath, 0},
		} {
			result, err := explore.Path(t.Context(), s, s.ids[c.from], s.ids[c.to])
			if err != nil || result.Status != c.status || len(result.Edges) != c.steps {
				t.Errorf("from %s to %s: %s with %d links, %v; want %s with %d", c.from, c.to, result.Status, len(result.Edges), err, c.status, c.steps)
			}
			if c.steps > 0 && (result.Nodes[0].ID != s.ids[c.from] || result.Nodes[c.steps].ID != s.ids[c.to]) {
				t.Errorf("from %s to %s: the path = %+v; want it from %d to %d", c.from, c.to, result.Nodes, s.ids[c.from], s.ids[c.to])
			}
		}
		if _, err := explore.Path(t.Context(), s, s.ids["Ann"], 9_999_999); graph.KindOf(err) != graph.NotFound {
			t.Errorf("a path to nothing: %v; want a NotFound error", err)
		}
	})
}

func TestAmongReturnsTheLinksBetweenConcepts(t *testing.T) {
	everystore.Run(t, func(t *testing.T, store graph.Store) {
		s := newShop(t, store, 20)
		d, err := explore.Among(t.Context(), s, []graph.ID{s.ids["order 0"], s.ids["line 0"], s.ids["pen"], s.ids["Bob"], 9_999_999})
		if err != nil || len(d.Nodes) != 4 {
			t.Fatalf("%+v, %v; want four nodes", d, err)
		}
		var types []string
		for _, e := range d.Edges {
			types = append(types, e.Type)
		}
		if len(types) != 2 {
			t.Errorf("the links are %v; want the line of the order and the product of the line", types)
		}
		if _, err := explore.Among(t.Context(), s, make([]graph.ID, explore.MaxNodes+1)); graph.KindOf(err) != graph.TooLarge {
			t.Errorf("too many concepts: %v; want a TooLarge error", err)
		}
	})
}

func TestARecordWithoutANameIsLabelledByItsFirstLinkAndItsQuantity(t *testing.T) {
	everystore.Run(t, func(t *testing.T, store graph.Store) {
		s := newShop(t, store, 2)
		line := s.ids["line 0"]
		b := graph.Batch{Sender: graph.Sender{User: graph.System}, Concepts: []graph.ConceptDraft{
			{LocalID: -1001, TypeName: "the_quantity", Value: "3", Access: graph.Public},
			{LocalID: -1002, TypeName: "the_price", Value: "0.99", Access: graph.Public},
		}, Connections: []graph.ConnectionDraft{
			{From: line, To: -1001, Type: line, Access: graph.Public},
			{From: line, To: -1002, Type: line, Access: graph.Public},
			{From: s.ids["Cid"], To: s.ids["pen"], TypeName: "the_customer_favorite", Access: graph.Public},
		}}
		if _, err := s.Write(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		nodes, err := explore.Nodes(t.Context(), s, []graph.ID{line, s.ids["line 1"], s.ids["Cid"]})
		if err != nil {
			t.Fatal(err)
		}
		var labels []string
		for _, n := range nodes {
			labels = append(labels, n.Label)
		}
		slices.Sort(labels)
		if diff := cmp.Diff([]string{"Cid", "Pen", "Pen × 3"}, labels); diff != "" {
			t.Errorf("the labels (-want +got)\n%s", diff)
		}
		if n := nodes[slices.IndexFunc(nodes, func(n explore.Node) bool { return n.ID == line })]; n.LabelID != 0 || n.LabelType != "" {
			t.Errorf("the label of the line is the value %d of type %q; want none", n.LabelID, n.LabelType)
		}
	})
}

// rowCounter counts the rows that a store returns, and records the largest number of concepts that one read requested.
type rowCounter struct {
	graph.Reader

	ids, rows int
}

func (r *rowCounter) Concepts(ctx context.Context, ids []graph.ID) ([]graph.Concept, error) {
	found, err := r.Reader.Concepts(ctx, ids)
	r.ids, r.rows = max(r.ids, len(ids)), r.rows+len(found)
	return found, err
}

func (r *rowCounter) Links(ctx context.Context, links graph.Links) ([]graph.Connection, error) {
	found, err := r.Reader.Links(ctx, links)
	r.rows += len(found)
	return found, err
}

func (r *rowCounter) CountLinks(ctx context.Context, links graph.Links) ([]graph.LinkCount, error) {
	found, err := r.Reader.CountLinks(ctx, links)
	r.rows += len(found)
	return found, err
}

func TestAValueInVeryManyRecordsIsOpenedWithBoundedReads(t *testing.T) {
	const records = 6_000
	store := memory.New()
	b := graph.Batch{Sender: graph.Sender{User: graph.System}, Concepts: []graph.ConceptDraft{
		{LocalID: -1, TypeName: "the_city", Value: "Graz", Access: graph.Public},
	}}
	for i := range graph.ID(records) {
		id := -2 - i
		b.Concepts = append(b.Concepts, graph.ConceptDraft{LocalID: id, Kind: graph.DraftComposition, TypeName: "the_person", Access: graph.Public})
		b.Connections = append(b.Connections, graph.ConnectionDraft{From: id, To: -1, Type: id, Access: graph.Public})
		if i < 3 {
			b.Connections = append(b.Connections, graph.ConnectionDraft{From: id, To: -1, TypeName: "the_person_birthplace", Access: graph.Public})
		}
	}
	receipt, err := store.Write(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	city := receipt.Concepts[0].ID
	r := &rowCounter{Reader: store}
	opened, err := explore.Open(t.Context(), r, city, 60, 50)
	if err != nil {
		t.Fatal(err)
	}
	want := []explore.Group{{Reverse: true, Count: records}, {Type: "the_person_birthplace", Reverse: true, Count: 3}}
	if diff := cmp.Diff(want, opened.Groups); diff != "" {
		t.Errorf("the groups (-want +got)\n%s", diff)
	}
	for typ, limit := range map[string]int{"": 50, "the_person_birthplace": 3} {
		r.rows = 0
		page, err := explore.Neighbors(t.Context(), r, explore.Request{ID: city, Type: typ, Reverse: true, Limit: 50})
		if err != nil || len(page.Nodes) != limit {
			t.Errorf("%d neighbours by %q, %v; want %d", len(page.Nodes), typ, err, limit)
		}
		if r.rows > 10*50 {
			t.Errorf("a page of %d neighbours by %q reads %d rows; want at most 10 for each that was asked for", limit, typ, r.rows)
		}
	}
	if r.ids > 5_000 {
		t.Errorf("one read requested %d concepts; want at most 5,000", r.ids)
	}
}
