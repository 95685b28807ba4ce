package storetest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/weft-graph/weft/graph"
)

var concurrency = []behaviour{
	{"64 goroutines that create one type create one concept", func(t *testing.T, s graph.Store) {
		const n = 64
		ids := make([]graph.ID, n)
		together(n, func(i int) {
			by := graph.Sender{User: graph.ID(2000 + i)}
			receipt, err := s.Write(t.Context(), graph.Batch{Sender: by, Concepts: []graph.ConceptDraft{
				typ(-1, "the_loom_thread"), {LocalID: -2, TypeName: "the_name", Value: "Ann", Access: graph.Public},
			}})
			if err != nil {
				t.Errorf("goroutine %d: %v", i, err)
				return
			}
			ids[i] = receipt.Concepts[0].ID
		})
		want(t, "types", unique(ids), 1)
		want(t, "values", len(byValue(t, s, graph.ValueKey{Value: "Ann"})), 1)
		want(t, "the chain", len(byValue(t, s, graph.ValueKey{Value: "the_loom"}, graph.ValueKey{Value: "loom"}, graph.ValueKey{Value: "thread"})), 3)
	}},
	{"a batch sent by many goroutines concurrently is written once", func(t *testing.T, s graph.Store) {
		const n = 16
		receipts := make([]graph.Receipt, n)
		together(n, func(i int) {
			var err error
			if receipts[i], err = s.Write(t.Context(), record); err != nil {
				t.Errorf("goroutine %d: %v", i, err)
			}
		})
		for _, r := range receipts {
			want(t, "concepts", r.Concepts, receipts[0].Concepts)
			want(t, "connections", r.Connections, receipts[0].Connections)
		}
		want(t, "LastSeq", read[graph.Seq](t)(s.LastSeq(t.Context())), 1)
	}},
	{"a refused batch does not affect batches written at the same time", func(t *testing.T, s graph.Store) {
		const n = 32
		together(n, func(i int) {
			b := graph.Batch{Sender: graph.Sender{User: graph.ID(2000 + i)}, Concepts: []graph.ConceptDraft{
				typ(-1, fmt.Sprint("the_", i/2)), value(-2, "the_thing", fmt.Sprint(i)),
			}}
			if i%2 == 1 {
				b.Connections = []graph.ConnectionDraft{link(-1, "the_thing_s_thing", -777)}
			}
			if _, err := s.Write(t.Context(), b); (err == nil) != (i%2 == 0) {
				t.Errorf("goroutine %d: %v", i, err)
			}
		})
		for i := range n {
			want(t, fmt.Sprint("values of ", i), len(byValue(t, s, graph.ValueKey{Value: fmt.Sprint(i), Category: graph.CategoryInstance})), 1-i%2)
			want(t, fmt.Sprint("types of ", i), typeID(t, s, fmt.Sprint("the_", i/2)) != 0, true)
		}
		all := read[[]graph.Change](t)(s.Changes(t.Context(), 0, 0))
		want(t, "changes", len(all), n/2)
	}},
	{"a reader sees all of a batch or none of it", func(t *testing.T, s graph.Store) {
		star := writeConcepts(t, s, alice, composition(-1, "the_star"))[0]
		countWhileWriting(t, s, star, func(_ int, localID graph.ID) graph.ConceptDraft { return composition(localID, "the_ray") }, func() (int, error) {
			links, err := s.Links(t.Context(), graph.Links{Of: []graph.ID{star}})
			return len(links), err
		})
	}},
	{"every reader sees a batch as soon as Write returns", func(t *testing.T, s graph.Store) {
		together(8, func(i int) {
			for j := range 20 {
				by := graph.Sender{User: graph.ID(2000 + i)}
				receipt, err := s.Write(t.Context(), graph.Batch{Sender: by, Concepts: []graph.ConceptDraft{composition(graph.ID(-1-j), "the_note")}})
				if err != nil {
					t.Errorf("writing: %v", err)
					return
				}
				found, err := s.Concepts(t.Context(), idsOf(receipt.Concepts))
				if err != nil || len(found) != 1 {
					t.Errorf("concept %d was written and is not found: %v", receipt.Concepts[0].ID, err)
				}
				changes, err := s.Changes(t.Context(), receipt.Seq-1, 1)
				if err != nil || len(changes) != 1 || changes[0].Seq != receipt.Seq {
					t.Errorf("change %d was written and is not found: %v", receipt.Seq, err)
				}
			}
		})
	}},
	{"a cancelled context is Unavailable and nothing is written", func(t *testing.T, s graph.Store) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := s.Write(ctx, record)
		want(t, "writing", graph.KindOf(err), graph.Unavailable)
		_, err = s.Concepts(ctx, []graph.ID{graph.The})
		want(t, "reading", graph.KindOf(err), graph.Unavailable)
		_, err = s.Links(ctx, graph.Links{Of: []graph.ID{graph.The}})
		want(t, "following", graph.KindOf(err), graph.Unavailable)
		_, err = s.ConceptsByValue(ctx, []graph.ValueKey{{Value: "the"}})
		want(t, "finding", graph.KindOf(err), graph.Unavailable)
		want(t, "LastSeq", read[graph.Seq](t)(s.LastSeq(t.Context())), 0)
	}},
	{"a context that ends during a read is Unavailable", func(t *testing.T, s graph.Store) {
		var drafts []graph.ConceptDraft
		for range 1_000 {
			drafts = append(drafts, composition(0, "the_star"))
		}
		ids := writeConcepts(t, s, alice, drafts...)
		for i := range 60 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*50*time.Microsecond)
			found, err := s.Concepts(ctx, ids)
			cancel()
			if kind := graph.KindOf(err); err == nil && len(found) != len(ids) || err != nil && kind != graph.Unavailable {
				t.Errorf("read %d of %d: %q, %v", len(found), len(ids), kind, err)
			}
		}
	}},
	{"a batch whose context ends during the write can be sent again", func(t *testing.T, s graph.Store) {
		together(8, func(i int) {
			for j := range 10 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(j)*200*time.Microsecond)
				b := record
				b.Sender = graph.Sender{User: graph.ID(2000 + i), Randomizer: int64(j)}
				first, err := s.Write(ctx, b)
				cancel()
				repeated := write(t, s, b)
				if err == nil {
					want(t, "the ids of the first receipt", idsOf(repeated.Concepts), idsOf(first.Concepts))
				}
			}
		})
		want(t, "people", read[int](t)(s.CountByType(t.Context(), typeID(t, s, "the_person"), 0)), 80)
	}},
}

// countWhileWriting connects rays to a star, batch by batch, while readers count them. Every count must include only whole batches.
func countWhileWriting(t *testing.T, s graph.Store, star graph.ID, ray func(batch int, localID graph.ID) graph.ConceptDraft, count func() (int, error)) {
	const rays, batches, readers = 30, 20, 4
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range batches {
			b := graph.Batch{Sender: graph.Sender{User: 3000, Randomizer: int64(i)}}
			for j := range rays {
				localID := graph.ID(-1 - j)
				b.Concepts = append(b.Concepts, ray(i, localID))
				b.Connections = append(b.Connections, link(star, "the_star_s_ray", localID))
			}
			if _, err := s.Write(t.Context(), b); err != nil {
				t.Errorf("writing: %v", err)
			}
		}
	}()
	together(readers, func(int) {
		for running := true; running; {
			select {
			case <-done:
				running = false
			default:
			}
			if n, err := count(); err != nil || n%rays != 0 {
				t.Errorf("a reader saw %d rays (%v); want a multiple of %d", n, err, rays)
				return
			}
		}
	})
	<-done
	want(t, "all rays", read[int](t)(count()), rays*batches)
}

// together runs n goroutines and waits for them.
func together(n int, do func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { do(i) })
	}
	all.Wait()
}
