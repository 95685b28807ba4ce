package sqlite_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/sqlite"
)

// A shop is a store with customers, products and orders: about 200,000 concepts and 250,000 connections.
type shop struct {
	*sqlite.Store
	types map[string]graph.Concept // keyed by name
}

const (
	customers = 10_000
	products  = 1_000
	orders    = 45_000
)

func newShop(b *testing.B) *shop {
	s := &shop{Store: open(b, b.TempDir())}
	b.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	writeNamed := func(kind string, n int, name func(i int) string) (ids []graph.ID) {
		for from := 0; from < n; from += 1_000 {
			batch := graph.Batch{Sender: graph.Sender{User: graph.System}}
			for i := range min(1_000, n-from) {
				head, text := graph.ID(-1-2*i), graph.ID(-2-2*i)
				batch.Concepts = append(batch.Concepts,
					graph.ConceptDraft{LocalID: head, Kind: graph.DraftComposition, TypeName: "the_" + kind, Access: graph.Public},
					graph.ConceptDraft{LocalID: text, TypeName: "the_" + kind + "_name", Value: name(from + i), Access: graph.Public})
				batch.Connections = append(batch.Connections, graph.ConnectionDraft{From: head, To: text, TypeName: "the_" + kind + "_named", Access: graph.Public})
			}
			for i, c := range s.write(b, batch) {
				if i%2 == 0 {
					ids = append(ids, c)
				}
			}
		}
		return ids
	}
	customerIDs := writeNamed("customer", customers, func(i int) string { return fmt.Sprintf("Customer %s %d", word(random), i) })
	productIDs := writeNamed("product", products, func(i int) string { return fmt.Sprintf("%s %s %d", word(random), word(random), i) })
	for from := 0; from < orders; from += 1_000 {
		batch := graph.Batch{Sender: graph.Sender{User: graph.System}}
		for i := range 1_000 {
			head := graph.ID(-1 - 10*i)
			batch.Concepts = append(batch.Concepts, graph.ConceptDraft{LocalID: head, Kind: graph.DraftComposition, TypeName: "the_order", Access: graph.Public})
			for j, value := range []string{
				fmt.Sprint(from + i), time.Unix(1.6e9+int64(random.IntN(1e8)), 0).UTC().Format(time.RFC3339),
				[]string{"open", "paid", "sent", "done", "done", "done", "done", "done"}[random.IntN(8)], word(random) + " " + word(random) + fmt.Sprint(random.IntN(9)),
			} {
				name := []string{"number", "day", "state", "note"}[j]
				localID := head - 1 - graph.ID(j)
				batch.Concepts = append(batch.Concepts, graph.ConceptDraft{LocalID: localID, TypeName: "the_" + name, Value: value, Access: graph.Public})
				batch.Connections = append(batch.Connections, graph.ConnectionDraft{From: head, To: localID, TypeName: "the_order_" + name, Access: graph.Public})
			}
			batch.Connections = append(batch.Connections,
				graph.ConnectionDraft{From: head, To: customerIDs[skewed(random, customers)], TypeName: "the_order_customer", Access: graph.Public},
				graph.ConnectionDraft{From: head, To: productIDs[skewed(random, products)], TypeName: "the_order_s_product", Access: graph.Public})
		}
		s.write(b, batch)
	}
	var err error
	s.types, err = graph.TypesNamed(b.Context(), s, "the_order", "the_customer", "the_product", "the_number", "the_day", "the_state", "the_note",
		"the_customer_name", "the_product_name", "the_order_number", "the_order_day", "the_order_state", "the_order_note",
		"the_order_customer", "the_order_s_product", "the_customer_named", "the_product_named")
	if err != nil {
		b.Fatal(err)
	}
	return s
}

func (s *shop) write(b *testing.B, batch graph.Batch) (ids []graph.ID) {
	batch.Sender.Randomizer = rand.Int64()
	receipt, err := s.Write(b.Context(), batch)
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range receipt.Concepts {
		ids = append(ids, c.ID)
	}
	return ids
}

// skewed returns a number below n. Small numbers are more frequent.
func skewed(random *rand.Rand, n int) int {
	return int(float64(n) * random.Float64() * random.Float64() * random.Float64())
}

func word(random *rand.Rand) string {
	syllables := []string{"ka", "ro", "mi", "ten", "sol", "bar", "ul", "ing", "wef", "na", "du", "pel"}
	text := ""
	for range 2 + random.IntN(3) {
		text += syllables[random.IntN(len(syllables))]
	}
	return text
}

// BenchmarkSelect runs the selections of typical queries, with and without indexed values.
func BenchmarkSelect(b *testing.B) {
	s := newShop(b)
	id := func(name string) graph.ID { return s.types[name].ID }
	is := func(typ string, op graph.Op, text string) graph.Instances {
		return graph.Instances{Type: id(typ), Where: &graph.Predicate{Op: op, Text: text}}
	}
	of := func(far graph.Set, link string) graph.Linked {
		return graph.Linked{Types: []graph.ID{id(link)}, Far: far}
	}
	customer := func(op graph.Op, text string) graph.Set {
		return of(of(is("the_customer_name", op, text), "the_customer_named"), "the_order_customer")
	}
	order := graph.Instances{Type: id("the_order")}
	shapes := []struct {
		name  string
		set   graph.Set
		limit int
	}{
		{"one value", is("the_number", graph.Equal, "4711"), 1_000},
		{"orders of a number", of(is("the_number", graph.Equal, "4711"), "the_order_number"), 1_000},
		{"orders of a day", of(graph.Intersection{is("the_day", graph.Greater, "2021-03-01"), is("the_day", graph.Less, "2021-03-02")}, "the_order_day"), 1_000},
		{"orders of a state, the first 1000", of(is("the_state", graph.Equal, "done"), "the_order_state"), 1_000},
		{"orders like a note", of(is("the_note", graph.Like, "%weftensol%"), "the_order_note"), 1_000},
		{"orders of customers, like", customer(graph.Like, "%wefnaing%"), 1_000},
		{"orders of a state and like a note", graph.Intersection{
			of(is("the_note", graph.Like, "%weftensol%"), "the_order_note"), order, of(is("the_state", graph.Equal, "open"), "the_order_state"),
		}, 1_000},
		{"1000 orders checked", graph.Intersection{graph.IDs(s.thousandOrders(b)), of(is("the_state", graph.Equal, "open"), "the_order_state")}, 0},
		{"1000 orders checked, two hops", graph.Intersection{graph.IDs(s.thousandOrders(b)), customer(graph.Like, "%wef%")}, 0},
		{"1000 orders checked, not", graph.Intersection{graph.IDs(s.thousandOrders(b)), graph.Complement{Of: of(is("the_state", graph.Equal, "done"), "the_order_state")}}, 0},
	}
	for _, when := range []string{"not indexed", "indexed"} {
		if when == "indexed" {
			began := time.Now()
			if err := s.Settle(b.Context()); err != nil {
				b.Fatal(err)
			}
			b.Logf("indexed in %v", time.Since(began))
		}
		for _, shape := range shapes {
			for _, viewer := range []graph.ID{0, 1001} {
				b.Run(fmt.Sprintf("%s/%s/viewer %d", when, shape.name, viewer), func(b *testing.B) {
					n := 0
					for b.Loop() {
						found, err := s.Select(b.Context(), graph.Selection{Set: shape.set, Viewer: viewer, Unordered: true, Page: graph.Page{Limit: shape.limit}})
						if err != nil {
							b.Fatal(err)
						}
						n = len(found)
					}
					b.ReportMetric(float64(n), "found")
				})
			}
		}
	}
}

// thousandOrders returns the ids of 1,000 orders.
func (s *shop) thousandOrders(b *testing.B) []graph.ID {
	found, err := s.Select(b.Context(), graph.Selection{Set: graph.Instances{Type: s.types["the_order"].ID}, Page: graph.Page{Limit: 1_000, Skip: 5_000}})
	if err != nil || len(found) != 1_000 {
		b.Fatal(len(found), err)
	}
	return found
}
