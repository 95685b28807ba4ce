package cache_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/cache"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/internal/store/storetest"
)

// A shared store reports changes of other processes when the test sends on wake.
type shared struct {
	graph.Store
	wake chan struct{}
}

func (s *shared) Listen(ctx context.Context, onChange func()) {
	for {
		select {
		case <-s.wake:
			onChange()
		case <-ctx.Done():
			return
		}
	}
}

// listen returns a cache of a shared store that follows its changes until the test ends.
func listen(t *testing.T, behind graph.Store) (s *cache.Store, wake func(), stop func()) {
	wakes, woken := make(chan struct{}), make(chan struct{}, 100)
	s = cache.New(&shared{behind, wakes}, 1<<20)
	ctx, cancel := context.WithCancel(t.Context())
	var done sync.WaitGroup
	done.Go(func() { s.Listen(ctx, func() { woken <- struct{}{} }) })
	stop = func() { cancel(); done.Wait() }
	t.Cleanup(stop)
	return s, func() { wakes <- struct{}{}; <-woken }, stop
}

func TestSharedStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) graph.Store {
		s, _, _ := listen(t, memory.New())
		return s
	})
}

func TestEvictsConceptsRemovedByOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		behind := &counted{Store: memory.New()}
		s, wake, stop := listen(t, behind)
		synctest.Wait()
		sender := graph.Sender{User: 70_001}
		note := func() graph.ID {
			r, err := behind.Write(t.Context(), graph.Batch{Sender: sender, Concepts: []graph.ConceptDraft{{Kind: graph.DraftComposition, TypeName: "the_note"}}})
			if err != nil {
				t.Fatal(err)
			}
			return r.Concepts[0].ID
		}
		remove := func(id graph.ID) {
			if _, err := behind.Write(t.Context(), graph.Batch{Sender: sender, RemoveConcepts: []graph.ID{id}}); err != nil {
				t.Fatal(err)
			}
		}
		check := func(what string, id graph.ID, want, read int) {
			t.Helper()
			before := behind.read
			if found, err := s.Concepts(t.Context(), []graph.ID{id}); err != nil || len(found) != want || behind.read-before != read {
				t.Errorf("%s: %d found after reading %d, %v; want %d after %d", what, len(found), behind.read-before, err, want, read)
			}
		}
		first, second, third := note(), note(), note()
		wake()
		for _, id := range []graph.ID{first, second, third} {
			check("at first", id, 1, 1)
			check("again", id, 1, 0)
		}
		remove(first)
		wake()
		check("removed, and reported", first, 0, 1)
		remove(second)
		if _, err := s.Changes(t.Context(), 0, 0); err != nil {
			t.Fatal(err)
		}
		check("removed, and the change read through the cache", second, 0, 1)
		remove(third)
		time.Sleep(cache.Staleness)
		synctest.Wait()
		check("removed, and not reported", third, 0, 1)
		fourth := note()
		wake()
		check("at first", fourth, 1, 1)
		stop()
		remove(fourth)
		time.Sleep(cache.Staleness)
		check("removed, and Listen has ended", fourth, 0, 1)
	})
}
