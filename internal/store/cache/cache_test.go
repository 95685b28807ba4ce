package cache_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/cache"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/internal/store/storetest"
)

// A cache must satisfy the contract of the store behind it, even if hardly any concept fits in the cache.
func TestStore(t *testing.T) {
	for _, bytes := range []int{1 << 20, 1_000} {
		t.Run(fmt.Sprintf("%d bytes", bytes), func(t *testing.T) {
			storetest.Run(t, func(*testing.T) graph.Store { return cache.New(memory.New(), bytes) })
		})
	}
}

// A counted store counts the concepts that are read from it.
type counted struct {
	graph.Store
	read int
}

func (c *counted) Concepts(ctx context.Context, ids []graph.ID) ([]graph.Concept, error) {
	c.read += len(ids)
	return c.Store.Concepts(ctx, ids)
}

func TestReadsEachConceptOnce(t *testing.T) {
	behind := &counted{Store: memory.New()}
	s := cache.New(behind, 1<<20)
	for range 3 {
		for _, ids := range [][]graph.ID{{1, 4, 5}, {5, 1}, {51, 5, 51, 4}} {
			if _, err := s.Concepts(t.Context(), ids); err != nil {
				t.Fatal(err)
			}
		}
	}
	if behind.read != 4 {
		t.Errorf("%d concepts were read; want 4, each once", behind.read)
	}
}

func TestEvictsConceptsThatAreNotRead(t *testing.T) {
	behind := &counted{Store: memory.New()}
	s := cache.New(behind, 5*2*210) // room for about five concepts in each generation
	fixed := graph.Fixed()
	for range 2 {
		for _, c := range fixed {
			if _, err := s.Concepts(t.Context(), []graph.ID{c.ID}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if behind.read <= len(fixed) {
		t.Errorf("%d concepts were read in two rounds over %d; a cache of ten cannot hold them", behind.read, len(fixed))
	}
}

// Readers read concepts while they are removed. A user who removed a concept must never read it again.
func TestRemovedConceptIsNotServed(t *testing.T) {
	s := cache.New(memory.New(), 1<<20)
	var wait sync.WaitGroup
	for user := range 4 {
		wait.Go(func() {
			for i := range 200 {
				sender := graph.Sender{User: graph.ID(70_000 + user)}
				localID := graph.ID(-1 - i)
				r, err := s.Write(t.Context(), graph.Batch{Sender: sender, Concepts: []graph.ConceptDraft{
					{LocalID: localID, Kind: graph.DraftComposition, TypeName: "the_note"},
				}})
				if err != nil {
					t.Error(err)
					return
				}
				id := r.Concepts[0].ID
				var readers sync.WaitGroup
				for range 2 {
					readers.Go(func() {
						if _, err := s.Concepts(t.Context(), []graph.ID{id}); err != nil {
							t.Error(err)
						}
					})
				}
				if _, err := s.Write(t.Context(), graph.Batch{Sender: sender, RemoveConcepts: []graph.ID{localID}}); err != nil {
					t.Error(err)
				}
				readers.Wait()
				if found, err := s.Concepts(t.Context(), []graph.ID{id}); err != nil || len(found) != 0 {
					t.Errorf("after the removal of the concept: %v, %v; want no concept", found, err)
				}
			}
		})
	}
	wait.Wait()
}

// The store commits after the caller's context was cancelled. A concept that is read in between must not stay cached.
func TestRemovalIgnoresCancellation(t *testing.T) {
	behind := &slow{Store: memory.New(), begun: make(chan struct{}), release: make(chan struct{})}
	s := cache.New(behind, 1<<20)
	sender := graph.Sender{User: 70_001}
	r, err := s.Write(t.Context(), graph.Batch{Sender: sender, Concepts: []graph.ConceptDraft{
		{LocalID: -1, Kind: graph.DraftComposition, TypeName: "the_note"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	ids := []graph.ID{r.Concepts[0].ID}
	ctx, cancel := context.WithCancel(t.Context())
	returned := make(chan struct{})
	go func() {
		defer close(returned)
		_, _ = s.Write(ctx, graph.Batch{Sender: sender, RemoveConcepts: ids})
	}()
	<-behind.begun
	cancel()
	behind.waitForCaller(returned)
	if found, err := s.Concepts(t.Context(), ids); err != nil || len(found) != 1 {
		t.Errorf("before the commit: %v, %v; want one concept", found, err)
	}
	close(behind.release)
	<-returned
	behind.wait.Wait()
	if found, err := s.Concepts(t.Context(), ids); err != nil || len(found) != 0 {
		t.Errorf("after the removal of the concept: %v, %v; want no concept", found, err)
	}
}

// A slow store returns as soon as ctx ends, and commits a removal when release is closed.
type slow struct {
	graph.Store
	begun, release chan struct{}
	wait           sync.WaitGroup
}

func (s *slow) Write(ctx context.Context, b graph.Batch) (graph.Receipt, error) {
	if len(b.RemoveConcepts) == 0 {
		return s.Store.Write(ctx, b)
	}
	var receipt graph.Receipt
	var err error
	done := make(chan struct{})
	s.wait.Go(func() {
		defer close(done)
		close(s.begun)
		<-s.release
		receipt, err = s.Store.Write(context.WithoutCancel(ctx), b)
	})
	select {
	case <-done:
		return receipt, err
	case <-ctx.Done():
		return graph.Receipt{}, ctx.Err()
	}
}

// waitForCaller gives a caller that does not wait for the commit a short time to return.
func (s *slow) waitForCaller(returned chan struct{}) {
	select {
	case <-returned:
	case <-time.After(50 * time.Millisecond):
	}
}
