package storetest

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/weft-graph/weft/graph"
)

// Bench measures the usual operations of a store. Open returns an empty store, as for Run.
func Bench(b *testing.B, open func(b *testing.B) graph.Store) {
	for _, rows := range []int{4, 1_000, 10_000} {
		b.Run(fmt.Sprintf("write a batch of %d", rows), func(b *testing.B) { benchWrite(b, open(b), rows) })
	}
	b.Run("write batches of 4 from 16 goroutines", func(b *testing.B) { benchConcurrentWrites(b, open(b)) })
	w := &filledStore{open: func() graph.Store { return open(b) }, fail: b.Fatal}
	getByID := func(ids []graph.ID) { w.must(w.Concepts(b.Context(), ids)) }
	b.Run("get by id", func(b *testing.B) { w.bench(b, 1, getByID) })
	b.Run("get 1000 by id", func(b *testing.B) { w.bench(b, 1_000, getByID) })
	b.Run("find by type and value", func(b *testing.B) {
		w.bench(b, 1, func(ids []graph.ID) {
			w.must(w.ConceptsByValue(b.Context(), []graph.ValueKey{{Value: fmt.Sprint(ids[0] % 1000), Type: w.thing}}))
		})
	})
	for _, n := range []int{1, 100} {
		b.Run(fmt.Sprintf("follow out of %d", n), func(b *testing.B) {
			w.bench(b, n, func(ids []graph.ID) { w.mustLink(w.Links(b.Context(), graph.Links{Of: ids})) })
		})
		b.Run(fmt.Sprintf("follow one type out of %d, the newest three", n), func(b *testing.B) {
			page := graph.Page{Descending: true, Limit: 3}
			w.bench(b, n, func(ids []graph.ID) {
				w.mustLink(w.Links(b.Context(), graph.Links{Of: ids, Types: w.types[:1], Page: page}))
			})
		})
	}
	b.Run("mixed readers and a writer", func(b *testing.B) { w.benchMixed(b) })
}

// mixedBatch returns a batch of about the given number of rows: people with names, some of which are equal, and links between
// them. The number n distinguishes the sender from the senders of other batches.
func mixedBatch(rows, n int) graph.Batch {
	batch := graph.Batch{Sender: graph.Sender{User: graph.System, Randomizer: int64(n)}}
	for i := range max(rows/4, 1) {
		person, name := graph.ID(-1-2*i), graph.ID(-2-2*i)
		batch.Concepts = append(batch.Concepts,
			graph.ConceptDraft{LocalID: person, Kind: graph.DraftComposition, TypeName: "the_person", Access: graph.Public},
			graph.ConceptDraft{LocalID: name, TypeName: "the_name", Value: fmt.Sprint("name ", rand.IntN(10_000_000)), Access: graph.Public})
		batch.Connections = append(batch.Connections,
			graph.ConnectionDraft{LocalID: -1 - graph.ID(2*i), From: person, To: name, TypeName: "the_person_name"},
			graph.ConnectionDraft{LocalID: -2 - graph.ID(2*i), From: name, To: graph.ID(-1 - 2*rand.IntN(i+1)), TypeName: "the_name_s_person"})
	}
	return batch
}

func benchWrite(b *testing.B, s graph.Store, rows int) {
	n := 0
	for b.Loop() {
		n++
		if _, err := s.Write(b.Context(), mixedBatch(rows, n)); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(n*max(rows/4, 1)*4), "µs/row")
}

// benchConcurrentWrites measures concurrent writes, which a store may commit together.
func benchConcurrentWrites(b *testing.B, s graph.Store) {
	var n atomic.Int64
	b.SetParallelism(max(16/runtime.GOMAXPROCS(0), 1))
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := s.Write(b.Context(), mixedBatch(4, int(n.Add(1)))); err != nil {
				b.Error(err)
			}
		}
	})
}

// A filledStore holds 20,000 people with 12 links each to 1,000 things, some of which are hubs. The store is filled at
// its first use.
type filledStore struct {
	graph.Store
	open   func() graph.Store
	fail   func(...any)
	people []graph.ID
	types  []graph.ID
	thing  graph.ID
	sent   int // number of batches, each from a different sender
}

// fill writes the people and things if the store is not filled yet.
func (w *filledStore) fill(b *testing.B) {
	if w.Store != nil {
		return
	}
	w.Store = w.open()
	by := graph.Sender{User: graph.System, Randomizer: -1}
	setUp := graph.Batch{Sender: by, Concepts: []graph.ConceptDraft{typ(0, "the_person_s_like"), typ(0, "the_person_s_own"), typ(0, "the_thing")}}
	for i := range 1_000 {
		setUp.Concepts = append(setUp.Concepts, graph.ConceptDraft{TypeName: "the_thing", Value: fmt.Sprint(i), Access: graph.Public})
	}
	written := w.write(b, setUp)
	w.types, w.thing = written[:2], written[2]
	things := written[3:]
	for chunk := range 20 {
		batch := graph.Batch{Sender: by}
		for i := range 1_000 {
			person := -1 - graph.ID(1_000*chunk+i)
			batch.Concepts = append(batch.Concepts, graph.ConceptDraft{LocalID: person, Kind: graph.DraftComposition, TypeName: "the_person", Access: graph.Public})
			for j := range 12 {
				thing := things[int(float64(len(things))*rand.Float64()*rand.Float64())]
				batch.Connections = append(batch.Connections, graph.ConnectionDraft{From: person, To: thing, Type: w.types[j%2]})
			}
		}
		w.people = append(w.people, w.write(b, batch)...)
	}
}

func (w *filledStore) write(b *testing.B, batch graph.Batch) []graph.ID {
	written, err := w.Write(b.Context(), batch)
	w.must(written.Concepts, err)
	return idsOf(written.Concepts)
}

// bench calls do with the ids of n random people.
func (w *filledStore) bench(b *testing.B, n int, do func(ids []graph.ID)) {
	w.fill(b)
	ids := make([]graph.ID, n)
	for b.Loop() {
		for i := range ids {
			ids[i] = w.people[rand.IntN(len(w.people))]
		}
		do(ids)
	}
}

// benchMixed reads from one goroutine per processor, while another goroutine writes without pause.
func (w *filledStore) benchMixed(b *testing.B) {
	w.fill(b)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				w.sent--
				if _, err := w.Write(b.Context(), mixedBatch(100, w.sent-1)); err != nil {
					b.Error(err)
					return
				}
			}
		}
	}()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			id := w.people[rand.IntN(len(w.people))]
			w.must(w.Concepts(b.Context(), []graph.ID{id}))
			w.mustLink(w.Links(b.Context(), graph.Links{Of: []graph.ID{id}}))
		}
	})
	close(stop)
	<-stopped
}

func (w *filledStore) must(found []graph.Concept, err error) {
	if err != nil || len(found) == 0 {
		w.fail("no concepts: ", err)
	}
}

func (w *filledStore) mustLink(found []graph.Connection, err error) {
	if err != nil || len(found) == 0 {
		w.fail("no connections: ", err)
	}
}
