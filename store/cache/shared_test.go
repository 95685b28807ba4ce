package cache_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/store/cache"
	"github.com/weft-graph/weft/store/memory"
	"github.com/weft-graph/weft/store/storetest"
)

// A shared store hears of others' writes when the test says so.
type shared struct {
	graph.Store
	wake chan struct{}
}

func (s *shared) Listen(ctx context.Context, woken func()) {
	for {
		select {
		case <-s.wake:
			woken()
		case <-ctx.Done():
			return
		}
	}
}

// listen makes a cache before a shared store and lets it follow until the test ends.
func listen(t *testing.T, below graph.Store) (s *cache.Store, wake func(), stop func()) {
	wakes, woken := make(chan struct{}), make(chan struct{}, 100)
	s = cache.New(&shared{below, wakes}, 1<<20)
	ctx, cancel := context.WithCancel(t.Context())
	var done sync.WaitGroup
	done.Go(func() { s.Listen(ctx, func() { woken <- struct{}{} }) })
	stop = func() { cancel(); done.Wait() }
	t.Cleanup(stop)
	return s, func() { wakes <- struct{}{}; <-woken }, stop
}

func TestASharedStoreKeepsItsPromises(t *testing.T) {
	storetest.Run(t, func(t *testing.T) graph.Store {
		s, _, _ := listen(t, memory.New())
		return s
	})
}

func TestWhatOthersRemoveIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		below := &counted{Store: memory.New()}
		s, wake, stop := listen(t, below)
		synctest.Wait()
		sender := graph.Sender{User: 70_001}
		note := func() graph.ID {
			r, err := below.Write(t.Context(), graph.Batch{Sender: sender, Concepts: []graph.ConceptDraft{{Kind: graph.DraftComposition, TypeName: "the_note"}}})
			if err != nil {
				t.Fatal(err)
			}
			return r.Concepts[0].ID
		}
		remove := func(id graph.ID) {
			if _, err := below.Write(t.Context(), graph.Batch{Sender: sender, RemoveConcepts: []graph.ID{id}}); err != nil {
				t.Fatal(err)
			}
		}
		there := func(what string, id graph.ID, want, read int) {
			t.Helper()
			before := below.read
			if found, err := s.Concepts(t.Context(), []graph.ID{id}); err != nil || len(found) != want || below.read-before != read {
				t.Errorf("%s: %d found after reading %d, %v; want %d after %d", what, len(found), below.read-before, err, want, read)
			}
		}
		first, second, third := note(), note(), note()
		wake()
		for _, id := range []graph.ID{first, second, third} {
			there("at first", id, 1, 1)
			there("again", id, 1, 0)
		}
		remove(first)
		wake()
		there("removed, and woken", first, 0, 1)
		remove(second)
		if _, err := s.Changes(t.Context(), 0, 0); err != nil {
			t.Fatal(err)
		}
		there("removed, and the change read through the cache", second, 0, 1)
		remove(third)
		time.Sleep(cache.Staleness)
		synctest.Wait()
		there("removed, and nobody woken", third, 0, 1)
		fourth := note()
		wake()
		there("at first", fourth, 1, 1)
		stop()
		remove(fourth)
		time.Sleep(cache.Staleness)
		there("removed, and nobody listens", fourth, 0, 1)
	})
}
