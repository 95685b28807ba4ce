//go:build unix

package server_test

import (
	"fmt"
	"slices"
	"syscall"
	"testing"
	"time"

	sdk "github.com/weft-graph/weft/client"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/pgtest"
	"github.com/weft-graph/weft/internal/schemas"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/internal/store/postgres"
	"github.com/weft-graph/weft/internal/store/sqlite"
	"github.com/weft-graph/weft/schema"
)

// BenchmarkSchemaWrites compares the cost of writing records of a type with a schema and of a type without one, over HTTP to a server on
// each database. The processor time is the time of this process, which runs the server and the client. It excludes PostgreSQL; the elapsed
// time includes it.
func BenchmarkSchemaWrites(b *testing.B) {
	for _, database := range []struct {
		name string
		open func(*testing.B) (graph.Store, error)
	}{
		{"SQLite", func(b *testing.B) (graph.Store, error) { return sqlite.Open(b.Context(), b.TempDir()) }},
		{"PostgreSQL", func(b *testing.B) (graph.Store, error) { return postgres.Open(b.Context(), pgtest.New(b).Database(b)) }},
	} {
		b.Run(database.name, func(b *testing.B) {
			store, err := database.open(b)
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = store.Close() })
			benchmarkSchemaWrites(b, store)
		})
	}
}

func benchmarkSchemaWrites(b *testing.B, store graph.Store) {
	b.Helper()
	people, err := schema.Parse([]byte(peopleSchema))
	if err != nil {
		b.Fatal(err)
	}
	if _, err := schemas.Push(b.Context(), store, people, schemas.PushOptions{}); err != nil {
		b.Fatal(err)
	}
	url := servertest.Serve(b, store).URL
	c := sdk.New(url)
	c.Token = servertest.SignUp(b, url, "ann@example.org")
	w := &personWriter{client: c, latest: map[string]graph.Receipt{}}
	for _, typ := range personTypes { // warm up
		w.create(b, typ)
	}
	b.Run("create", func(b *testing.B) { compareCost(b, func(typ string) { w.create(b, typ) }) })
	b.Run("update", func(b *testing.B) { compareCost(b, func(typ string) { w.updateAge(b, typ) }) })
}

// personTypes are a type without a schema and a type with one.
var personTypes = [2]string{"the_human", "the_person"}

// A personWriter writes records with a name, an email address and an age.
type personWriter struct {
	client *sdk.Client
	writes int                      // makes the values of each write unique
	local  graph.ID                 // the last local id
	latest map[string]graph.Receipt // keyed by type, the receipt of the record that updateAge changes; its last connection leads to the age
}

func (w *personWriter) create(b *testing.B, typ string) graph.Receipt {
	b.Helper()
	w.writes++
	main := w.nextLocal()
	batch := w.newBatch()
	batch.Concepts = []graph.ConceptDraft{{LocalID: main, Kind: graph.DraftComposition, TypeName: typ}}
	w.addValue(&batch, main, "the_name", fmt.Sprint("n", w.writes))
	w.addValue(&batch, main, "the_email", fmt.Sprintf("e%d@b.co", w.writes))
	w.addValue(&batch, main, "the_age", fmt.Sprint(w.writes))
	return w.write(b, batch)
}

// updateAge replaces the age of a record, and first creates the record if there is none.
func (w *personWriter) updateAge(b *testing.B, typ string) {
	b.Helper()
	before, exists := w.latest[typ]
	if !exists {
		before = w.create(b, typ)
	}
	w.writes++
	batch := w.newBatch()
	batch.RemoveConnections = []graph.ID{before.Connections[len(before.Connections)-1].ID}
	w.addValue(&batch, before.Concepts[0].ID, "the_age", fmt.Sprint(w.writes))
	receipt := w.write(b, batch)
	receipt.Concepts = before.Concepts
	w.latest[typ] = receipt
}

func (w *personWriter) newBatch() graph.Batch {
	return graph.Batch{Sender: graph.Sender{User: graph.Anonymous, Randomizer: 1}}
}

func (w *personWriter) nextLocal() graph.ID {
	w.local--
	return w.local
}

// addValue adds a value and its connection to a composition.
func (w *personWriter) addValue(batch *graph.Batch, main graph.ID, typ, value string) {
	id := w.nextLocal()
	batch.Concepts = append(batch.Concepts, graph.ConceptDraft{LocalID: id, TypeName: typ, Value: value})
	batch.Connections = append(batch.Connections, graph.ConnectionDraft{LocalID: id, From: main, To: id, Type: main})
}

func (w *personWriter) write(b *testing.B, batch graph.Batch) graph.Receipt {
	b.Helper()
	receipt, err := w.client.Write(b.Context(), batch)
	if err != nil {
		b.Fatal(err)
	}
	return receipt
}

// compareCost calls write in turn for a type without a schema and for one with a schema. It reports the mean processor time of each, and
// the median ratios between the two types, in processor time and in elapsed time.
func compareCost(b *testing.B, write func(typ string)) {
	b.Helper()
	const perRound = 200 // writes of each type
	var total [2]time.Duration
	var ratios, elapsedRatios []float64
	for b.Loop() {
		var used, elapsed [2]time.Duration
		for turn := range 2 { // the types take turns in being the first of a round
			i := (turn + len(ratios)) % 2
			start, usedBefore := time.Now(), usedProcessorTime(b)
			for range perRound {
				write(personTypes[i])
			}
			used[i], elapsed[i] = usedProcessorTime(b)-usedBefore, time.Since(start)
			total[i] += used[i]
		}
		ratios = append(ratios, float64(used[1])/float64(used[0]))
		elapsedRatios = append(elapsedRatios, float64(elapsed[1])/float64(elapsed[0]))
	}
	slices.Sort(ratios)
	slices.Sort(elapsedRatios)
	writes := float64(len(ratios) * perRound)
	b.ReportMetric(float64(total[0].Microseconds())/writes, "µs/unchecked")
	b.ReportMetric(float64(total[1].Microseconds())/writes, "µs/checked")
	b.ReportMetric(ratios[len(ratios)/2], "ratio")
	b.ReportMetric(elapsedRatios[len(elapsedRatios)/2], "elapsed-ratio")
}

// usedProcessorTime returns the processor time that the process has used.
func usedProcessorTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
