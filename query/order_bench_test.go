package query_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/access"
	"github.com/weft-graph/weft/internal/pgtest"
	"github.com/weft-graph/weft/internal/store/postgres"
	"github.com/weft-graph/weft/internal/store/sqlite"
	"github.com/weft-graph/weft/query"
)

// BenchmarkOrder reads pages in the order of a field: the first page, and pages at random positions. WEFT_ORDER_ROWS is the
// number of contacts. There are a tenth as many companies, whose names have the same type. WEFT_ORDER_DIR keeps the SQLite
// database.
func BenchmarkOrder(b *testing.B) {
	rows, _ := strconv.Atoi(cmp.Or(os.Getenv("WEFT_ORDER_ROWS"), "20000"))
	b.Run("SQLite", func(b *testing.B) {
		store, err := sqlite.Open(b.Context(), cmp.Or(os.Getenv("WEFT_ORDER_DIR"), b.TempDir()))
		if err != nil {
			b.Fatal(err)
		}
		defer store.Close()
		fillContacts(b, store, rows)
		if err := store.Settle(b.Context()); err != nil {
			b.Fatal(err)
		}
		benchOrders(b, store, rows)
	})
	b.Run("PostgreSQL", func(b *testing.B) {
		store, err := postgres.Open(b.Context(), pgtest.Database(b))
		if err != nil {
			b.Fatal(err)
		}
		defer store.Close()
		fillContacts(b, store, rows)
		benchOrders(b, store, rows)
	})
}

var stages = []string{"customer", "former", "lead", "partner", "prospect"}

func nameOf(n int) string {
	return fmt.Sprintf("%s %07d", []string{"Ann", "bob", "Çağla", "Dora"}[n%4], n)
}

// fillContacts writes public contacts and companies, unless the store already has contacts.
func fillContacts(b *testing.B, store graph.Store, rows int) {
	b.Helper()
	if known, err := graph.TypesNamed(b.Context(), store, "the_contact"); err != nil || len(known) > 0 {
		return
	}
	random := rand.New(rand.NewPCG(1, 2))
	for from := 0; from < rows; from += 1_000 {
		if err := writeContacts(b, store, random, from); err != nil {
			b.Fatal(err)
		}
	}
}

func writeContacts(b *testing.B, store graph.Store, random *rand.Rand, from int) error {
	batch := graph.Batch{Sender: graph.Sender{User: graph.System, Randomizer: int64(from)}}
	add := func(kind graph.DraftKind, typ, value string) graph.ID {
		id := -graph.ID(len(batch.Concepts) + 1)
		batch.Concepts = append(batch.Concepts, graph.ConceptDraft{LocalID: id, Kind: kind, TypeName: typ, Value: value, Access: graph.Public})
		return id
	}
	part := func(record graph.ID, typ, value string) {
		batch.Connections = append(batch.Connections, graph.ConnectionDraft{
			From: record, Type: record, To: add(graph.DraftValue, typ, value), Order: graph.OrderLink, Access: graph.Public,
		})
	}
	for i := range 1_000 {
		contact := add(graph.DraftComposition, "the_contact", "")
		part(contact, "the_name", nameOf(random.IntN(10_000_000)))
		part(contact, "the_stage", stages[random.IntN(len(stages))])
		part(contact, "the_age", fmt.Sprint(18+random.IntN(70)))
		if i%10 == 0 {
			part(add(graph.DraftComposition, "the_company", ""), "the_name", nameOf(random.IntN(10_000_000)))
		}
	}
	_, err := store.Write(b.Context(), batch)
	return err
}

func benchOrders(b *testing.B, store graph.Store, rows int) {
	random := rand.New(rand.NewPCG(3, 4))
	name := []query.OrderBy{{Field: "the_name"}}
	down := []query.OrderBy{{Field: "the_name", Direction: query.Descending}}
	stage := []query.OrderBy{{Field: "the_stage", Direction: query.Descending}, {Field: "the_age", Kind: query.OrderNumber}}
	at := func(q query.Query, values ...string) query.Query {
		q.Cursor = q.CursorAt(100_000+graph.ID(random.IntN(rows)), values...)
		return q
	}
	filtered := func(stage string) query.Query {
		return query.Query{
			Type: "the_contact", OrderBy: name, Hops: []query.Query{{Connection: query.Self, Direct: true, Name: "part"}},
			Filters: []query.Filter{{Name: "f", On: "part", Type: "the_stage", Search: stage}}, Logic: "f",
		}
	}
	for callerName, caller := range map[string]access.Caller{"system": access.System, "guest": {User: 4_242}} {
		view := access.New(store, access.Rules{}).As(caller)
		for caseName, next := range map[string]func() query.Query{
			"by name first": func() query.Query { return query.Query{Type: "the_contact", OrderBy: name} },
			"by name next": func() query.Query {
				return at(query.Query{Type: "the_contact", OrderBy: name}, nameOf(random.IntN(10_000_000)))
			},
			"by name down next": func() query.Query {
				return at(query.Query{Type: "the_contact", OrderBy: down}, nameOf(random.IntN(10_000_000)))
			},
			"by name, 50, next": func() query.Query {
				return at(query.Query{Type: "the_contact", OrderBy: name, PageSize: 50}, nameOf(random.IntN(10_000_000)))
			},
			"company next": func() query.Query {
				return at(query.Query{Type: "the_company", OrderBy: name}, nameOf(random.IntN(10_000_000)))
			},
			"by stage next": func() query.Query {
				return at(query.Query{Type: "the_contact", OrderBy: stage[:1]}, stages[random.IntN(5)])
			},
			"by stage and age": func() query.Query {
				return at(query.Query{Type: "the_contact", OrderBy: stage}, stages[random.IntN(5)], fmt.Sprint(18+random.IntN(70)))
			},
			"filtered first": func() query.Query { return filtered("lead") },
			"filtered next":  func() query.Query { return at(filtered("lead"), nameOf(random.IntN(10_000_000))) },
		} {
			b.Run(callerName+"/"+caseName, func(b *testing.B) {
				var times []time.Duration
				for b.Loop() {
					q, start := next(), time.Now()
					a, err := query.Run(b.Context(), view, q)
					if err != nil || len(a.Roots) < 1 {
						b.Fatalf("%d roots: %v\n%s", len(a.Roots), err, a.Plan)
					}
					times = append(times, time.Since(start))
				}
				slices.Sort(times)
				b.ReportMetric(float64(times[len(times)/2].Microseconds()), "median-µs")
				b.ReportMetric(float64(times[len(times)-1].Microseconds()), "longest-µs")
			})
		}
	}
}
