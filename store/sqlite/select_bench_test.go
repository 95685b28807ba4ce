package sqlite_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/store/sqlite"
)

// A shop has customers with names, products with names, and orders of both with a number, a day and a state: about
// 200,000 concepts and 250,000 connections.
type shop struct {
	*sqlite.Store
	names map[string]graph.Concept // the types
	some  []graph.ID               // 1,000 orders
}

const (
	customers = 10_000
	products  = 1_000
	orders    = 45_000
)

func newShop(b *testing.B) *shop {
	s := &shop{Store: open(b, b.TempDir())}
	b.Helper()
	dice := rand.New(rand.NewPCG(1, 2))
	named := func(kind string, n int, name func(i int) string) (ids []graph.ID) {
		for from := 0; from < n; from += 1_000 {
			batch := graph.Batch{Sender: graph.Sender{User: graph.System}}
			for i := range min(1_000, n-from) {
				head, text := graph.ID(-1-2*i), graph.ID(-2-2*i)
				batch.Concepts = append(batch.Concepts,
					graph.ConceptDraft{Ghost: head, Kind: graph.DraftComposition, TypeName: "the_" + kind, Access: graph.Public},
					graph.ConceptDraft{Ghost: text, TypeName: "the_" + kind + "_name", Value: name(from + i), Access: graph.Public})
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
	people := named("customer", customers, func(i int) string { return fmt.Sprintf("Customer %s %d", word(dice), i) })
	goods := named("product", products, func(i int) string { return fmt.Sprintf("%s %s %d", word(dice), word(dice), i) })
	for from := 0; from < orders; from += 1_000 {
		batch := graph.Batch{Sender: graph.Sender{User: graph.System}}
		for i := range 1_000 {
			head := graph.ID(-1 - 10*i)
			batch.Concepts = append(batch.Concepts, graph.ConceptDraft{Ghost: head, Kind: graph.DraftComposition, TypeName: "the_order", Access: graph.Public})
			for j, value := range []string{
				fmt.Sprint(from + i), time.Unix(1.6e9+int64(dice.IntN(1e8)), 0).UTC().Format(time.RFC3339),
				[]string{"open", "paid", "sent", "done", "done", "done", "done", "done"}[dice.IntN(8)], word(dice) + " " + word(dice) + fmt.Sprint(dice.IntN(9)),
			} {
				name := []string{"number", "day", "state", "note"}[j]
				ghost := head - 1 - graph.ID(j)
				batch.Concepts = append(batch.Concepts, graph.ConceptDraft{Ghost: ghost, TypeName: "the_" + name, Value: value, Access: graph.Public})
				batch.Connections = append(batch.Connections, graph.ConnectionDraft{From: head, To: ghost, TypeName: "the_order_" + name, Access: graph.Public})
			}
			batch.Connections = append(batch.Connections,
				graph.ConnectionDraft{From: head, To: people[skewed(dice, customers)], TypeName: "the_order_customer", Access: graph.Public},
				graph.ConnectionDraft{From: head, To: goods[skewed(dice, products)], TypeName: "the_order_s_product", Access: graph.Public})
		}
		s.some = append(s.some, s.write(b, batch)[0])
	}
	var err error
	s.names, err = graph.TypesNamed(b.Context(), s, "the_order", "the_customer", "the_product", "the_number", "the_day", "the_state", "the_note",
		"the_customer_name", "the_product_name", "the_order_number", "the_order_day", "the_order_state", "the_order_note",
		"the_order_customer", "the_order_s_product", "the_customer_named", "the_product_named")
	if err != nil {
		b.Fatal(err)
	}
	return s
}

func (s *shop) write(b *testing.B, batch graph.Batch) (ids []graph.ID) {
	batch.Sender.Randomizer = rand.Int64()
	made, err := s.Write(b.Context(), batch)
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range made.Concepts {
		ids = append(ids, c.ID)
	}
	return ids
}

// skewed is small more often than large.
func skewed(dice *rand.Rand, n int) int {
	return int(float64(n) * dice.Float64() * dice.Float64() * dice.Float64())
}

func word(dice *rand.Rand) string {
	syllables := []string{"ka", "ro", "mi", "ten", "sol", "bar", "ul", "ing", "wef", "na", "du", "pel"}
	text := ""
	for range 2 + dice.IntN(3) {
		text += syllables[dice.IntN(len(syllables))]
	}
	return text
}

// BenchmarkSelect asks a shop what queries ask: of few and of many, gathered and checked, of values that are indexed and
// that are not yet.
func BenchmarkSelect(b *testing.B) {
	s := newShop(b)
	id := func(name string) graph.ID { return s.names[name].ID }
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
		name string
		set  graph.Set
		most int
	}{
		{"one value", is("the_number", graph.Equal, "4711"), 1_000},
		{"orders of a number", of(is("the_number", graph.Equal, "4711"), "the_order_number"), 1_000},
		{"orders of a day", of(graph.Both{is("the_day", graph.Greater, "2021-03-01"), is("the_day", graph.Less, "2021-03-02")}, "the_order_day"), 1_000},
		{"orders of a state, the first 1000", of(is("the_state", graph.Equal, "done"), "the_order_state"), 1_000},
		{"orders like a note", of(is("the_note", graph.Like, "%weftensol%"), "the_order_note"), 1_000},
		{"orders of customers, like", customer(graph.Like, "%wefnaing%"), 1_000},
		{"orders of a state and like a note", graph.Both{
			of(is("the_note", graph.Like, "%weftensol%"), "the_order_note"), order, of(is("the_state", graph.Equal, "open"), "the_order_state"),
		}, 1_000},
		{"1000 orders checked", graph.Both{graph.These(s.of1000(b)), of(is("the_state", graph.Equal, "open"), "the_order_state")}, 0},
		{"1000 orders checked, two hops", graph.Both{graph.These(s.of1000(b)), customer(graph.Like, "%wef%")}, 0},
		{"1000 orders checked, not", graph.Both{graph.These(s.of1000(b)), graph.Except{Of: of(is("the_state", graph.Equal, "done"), "the_order_state")}}, 0},
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
						found, err := s.Select(b.Context(), graph.Selection{Set: shape.set, Viewer: viewer, Unordered: true, Page: graph.Page{Limit: shape.most}})
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

func (s *shop) of1000(b *testing.B) []graph.ID {
	found, err := s.Select(b.Context(), graph.Selection{Set: graph.Instances{Type: s.names["the_order"].ID}, Page: graph.Page{Limit: 1_000, Skip: 5_000}})
	if err != nil || len(found) != 1_000 {
		b.Fatal(len(found), err)
	}
	return found
}
