package storetest

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/weft-graph/weft/graph"
)

// Bench measures what a store is used for. Open returns an empty store, as for Run.
func Bench(b *testing.B, open func(b *testing.B) graph.Store) {
	for _, rows := range []int{4, 1_000, 10_000} {
		b.Run(fmt.Sprintf("write a batch of %d", rows), func(b *testing.B) { benchWrite(b, open(b), rows) })
	}
	b.Run("write batches of 4 from 16 goroutines", func(b *testing.B) { benchTogether(b, open(b)) })
	w := &large{open: func() graph.Store { return open(b) }, fail: b.Fatal}
	one := func(ids []graph.ID) { w.must(w.Concepts(b.Context(), ids)) }
	b.Run("get by id", func(b *testing.B) { w.bench(b, 1, one) })
	b.Run("get 1000 by id", func(b *testing.B) { w.bench(b, 1_000, one) })
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

// mixed is a batch of so many rows: records of a person with a shared name, and links between them.
func mixed(rows, n int) graph.Batch {
	batch := graph.Batch{Sender: graph.Sender{User: graph.System, Randomizer: int64(n)}}
	for i := range max(rows/4, 1) {
		person, name := graph.ID(-1-2*i), graph.ID(-2-2*i)
		batch.Concepts = append(batch.Concepts,
			graph.ConceptDraft{Ghost: person, Kind: graph.DraftComposition, TypeName: "the_person", Access: graph.Public},
			graph.ConceptDraft{Ghost: name, TypeName: "the_name", Value: fmt.Sprint("name ", rand.IntN(10_000_000)), Access: graph.Public})
		batch.Connections = append(batch.Connections,
			graph.ConnectionDraft{Ghost: -1 - graph.ID(2*i), From: person, To: name, TypeName: "the_person_name"},
			graph.ConnectionDraft{Ghost: -2 - graph.ID(2*i), From: name, To: graph.ID(-1 - 2*rand.IntN(i+1)), TypeName: "the_name_s_person"})
	}
	return batch
}

func benchWrite(b *testing.B, s graph.Store, rows int) {
	n := 0
	for b.Loop() {
		n++
		if _, err := s.Write(b.Context(), mixed(rows, n)); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(n*max(rows/4, 1)*4), "µs/row")
}

// benchTogether shows what is gained by committing together what arrives together.
func benchTogether(b *testing.B, s graph.Store) {
	var n atomic.Int64
	b.SetParallelism(max(16/runtime.GOMAXPROCS(0), 1))
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := s.Write(b.Context(), mixed(4, int(n.Add(1)))); err != nil {
				b.Error(err)
			}
		}
	})
}

// A large store holds 20,000 people with 12 links each to 1,000 things, some of them hubs. It is woven
// when first used.
type large struct {
	graph.Store
	open   func() graph.Store
	fail   func(...any)
	people []graph.ID
	types  []graph.ID
	thing  graph.ID
	sent   int // batches, so that no two have one sender
}

func (w *large) weave(b *testing.B) {
	if w.Store != nil {
		return
	}
	w.Store = w.open()
	by := graph.Sender{User: graph.System, Randomizer: -1}
	setUp := graph.Batch{Sender: by, Concepts: []graph.ConceptDraft{typ(0, "the_person_s_like"), typ(0, "the_person_s_own"), typ(0, "the_thing")}}
	for i := range 1_000 {
		setUp.Concepts = append(setUp.Concepts, graph.ConceptDraft{TypeName: "the_thing", Value: fmt.Sprint(i), Access: graph.Public})
	}
	made := w.write(b, setUp)
	w.types, w.thing = made[:2], made[2]
	things := made[3:]
	for chunk := range 20 {
		batch := graph.Batch{Sender: by}
		for i := range 1_000 {
			person := -1 - graph.ID(1_000*chunk+i)
			batch.Concepts = append(batch.Concepts, graph.ConceptDraft{Ghost: person, Kind: graph.DraftComposition, TypeName: "the_person", Access: graph.Public})
			for j := range 12 {
				thing := things[int(float64(len(things))*rand.Float64()*rand.Float64())]
				batch.Connections = append(batch.Connections, graph.ConnectionDraft{From: person, To: thing, Type: w.types[j%2]})
			}
		}
		w.people = append(w.people, w.write(b, batch)...)
	}
}

func (w *large) write(b *testing.B, batch graph.Batch) []graph.ID {
	made, err := w.Write(b.Context(), batch)
	w.must(made.Concepts, err)
	return idsOf(made.Concepts)
}

// bench does something about n random people.
func (w *large) bench(b *testing.B, n int, do func(ids []graph.ID)) {
	w.weave(b)
	ids := make([]graph.ID, n)
	for b.Loop() {
		for i := range ids {
			ids[i] = w.people[rand.IntN(len(w.people))]
		}
		do(ids)
	}
}

// benchMixed reads from as many goroutines as there are processors while one writes without a pause.
func (w *large) benchMixed(b *testing.B) {
	w.weave(b)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				w.sent--
				if _, err := w.Write(b.Context(), mixed(100, w.sent-1)); err != nil {
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

func (w *large) must(found []graph.Concept, err error) {
	if err != nil || len(found) == 0 {
		w.fail("no concepts: ", err)
	}
}

func (w *large) mustLink(found []graph.Connection, err error) {
	if err != nil || len(found) == 0 {
		w.fail("no connections: ", err)
	}
}
