package query_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
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

// BenchmarkOrder reads pages of 50 contacts with their fields in the order of a field, with and without a filter that a fifth of them
// pass: the first page, the second one, and pages at random positions. It reports the median time of each. WEFT_ORDER_ROWS is the number
// of contacts; a tenth as many companies have names of the same type. WEFT_ORDER_DIR keeps both databases.
func BenchmarkOrder(b *testing.B) {
	rows, _ := strconv.Atoi(cmp.Or(os.Getenv("WEFT_ORDER_ROWS"), "20000"))
	dir := os.Getenv("WEFT_ORDER_DIR")
	b.Run("SQLite", func(b *testing.B) {
		kept := b.TempDir()
		if dir != "" {
			kept = filepath.Join(dir, "sqlite")
		}
		store, err := sqlite.Open(b.Context(), kept)
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
		store, err := postgres.Open(b.Context(), orderDatabase(b, dir))
		if err != nil {
			b.Fatal(err)
		}
		defer store.Close()
		fillContacts(b, store, rows)
		benchOrders(b, store, rows)
	})
}

// orderDatabase returns the URL of a database, which is kept in dir if there is one.
func orderDatabase(b *testing.B, dir string) string {
	b.Helper()
	if dir == "" {
		return pgtest.Database(b)
	}
	server, err := pgtest.Open(filepath.Join(dir, "postgres"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(server.Stop)
	url, err := server.EnsureDatabase("contacts")
	if err != nil {
		b.Fatal(err)
	}
	return url
}

var stages = []string{"customer", "former", "lead", "partner", "prospect"}

func nameOf(n int) string {
	return fmt.Sprintf("%s %07d", []string{"Ann", "bob", "Çağla", "Dora"}[n%4], n)
}

func totalOf(n int) string { return strconv.FormatFloat(float64(n%1_000_000)/100, 'f', 2, 64) }

func dueOf(n int) string {
	return time.Date(2000, 1, 1+n%9_000, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
}

// fillContacts writes public contacts and companies, unless the store has some.
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
		part(contact, "the_total", totalOf(random.IntN(10_000_000)))
		part(contact, "the_due", dueOf(random.IntN(10_000_000)))
		if i%10 == 0 {
			part(add(graph.DraftComposition, "the_company", ""), "the_name", nameOf(random.IntN(10_000_000)))
		}
	}
	_, err := store.Write(b.Context(), batch)
	return err
}

// An orderCase is an order of records, and a function that returns random values of its fields.
type orderCase struct {
	name    string
	typ     string
	orderBy []query.OrderBy
	at      func(n int) []string
}

func orderCases() []orderCase {
	one := func(value func(n int) string) func(int) []string {
		return func(n int) []string { return []string{value(n)} }
	}
	stageOf := func(n int) string { return stages[n%len(stages)] }
	up := func(field string, kind query.OrderKind) []query.OrderBy {
		return []query.OrderBy{{Field: field, Kind: kind}}
	}
	down := func(field string, kind query.OrderKind) []query.OrderBy {
		return []query.OrderBy{{Field: field, Kind: kind, Direction: query.Descending}}
	}
	return []orderCase{
		{"text", "the_contact", up("the_name", ""), one(nameOf)},
		{"text, descending", "the_contact", down("the_name", ""), one(nameOf)},
		{"number", "the_contact", up("the_total", query.OrderNumber), one(totalOf)},
		{"number, descending", "the_contact", down("the_total", query.OrderNumber), one(totalOf)},
		{"date", "the_contact", up("the_due", query.OrderTime), one(dueOf)},
		{"date, descending", "the_contact", down("the_due", query.OrderTime), one(dueOf)},
		{"five texts", "the_contact", down("the_stage", ""), one(stageOf)},
		{
			"five texts and a number", "the_contact", append(down("the_stage", ""), up("the_age", query.OrderNumber)...),
			func(n int) []string { return []string{stageOf(n), fmt.Sprint(18 + n%70)} },
		},
		{"text of a tenth", "the_company", up("the_name", ""), one(nameOf)},
	}
}

func benchOrders(b *testing.B, store graph.Store, rows int) {
	for _, caller := range []access.Caller{access.System, {User: 4_242}} {
		view, callerName := access.New(store, access.Rules{}).As(caller), "guest"
		if caller == access.System {
			callerName = "system"
		}
		for _, c := range orderCases() {
			q := query.Query{Type: c.typ, OrderBy: c.orderBy, PageSize: 50, Hops: []query.Query{{Connection: query.Self, Direct: true, Name: "part"}}}
			b.Run(callerName+"/"+c.name, func(b *testing.B) { benchPages(b, view, q, c, rows) })
			if c.typ != "the_contact" {
				continue
			}
			q.Filters, q.Logic = []query.Filter{{Name: "f", On: "part", Type: "the_stage", Search: "lead"}}, "f"
			b.Run(callerName+"/"+c.name+", filtered", func(b *testing.B) { benchPages(b, view, q, c, rows) })
		}
	}
}

// benchPages reads the first page of a query, the second one, and one at a random position.
func benchPages(b *testing.B, view graph.Reader, q query.Query, c orderCase, rows int) {
	random := rand.New(rand.NewPCG(3, 4))
	run := func(q query.Query) (query.Answer, time.Duration) {
		start := time.Now()
		a, err := query.Run(b.Context(), view, q)
		if err != nil {
			b.Fatalf("%v\n%s", err, a.Plan)
		}
		return a, time.Since(start)
	}
	var times [3][]time.Duration
	add := func(page int, took time.Duration) { times[page] = append(times[page], took) }
	for b.Loop() {
		next := q
		first, took := run(q)
		add(0, took)
		next.Cursor = first.Next
		_, took = run(next)
		add(1, took)
		next.Cursor = q.CursorAt(100_000+graph.ID(random.IntN(rows)), c.at(random.IntN(10_000_000))...)
		_, took = run(next)
		add(2, took)
	}
	for page, name := range []string{"first", "second", "far"} {
		slices.Sort(times[page])
		b.ReportMetric(float64(times[page][len(times[page])/2].Microseconds()), name+"-µs")
	}
	b.ReportMetric(float64(times[2][len(times[2])*95/100].Microseconds()), "far-p95-µs")
}
