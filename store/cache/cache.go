// Package cache keeps the concepts that are asked for most in memory, in front of a store on disk.
//
// It can, because concepts are never edited and ids never given twice: a copy goes wrong only by the
// concept's removal. Where other processes write to the same store, it follows the changes and forgets what
// they touched; see Listen for how late that may be.
package cache

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weft-graph/weft/graph"
)

// A Store is a graph.Store that remembers concepts.
type Store struct {
	graph.Store
	graph.Sets
	most   int    // bytes in a generation
	shared shared // the store, if other processes write to it

	mu sync.RWMutex
	// There are two generations. When the younger is full the older is forgotten, so that what was not
	// asked for in a while goes.
	young, old map[graph.ID]graph.Concept
	size       int // of young, in bytes
	types      types
	removals   int // how often something was forgotten because it was removed
	// Of a shared store, all changes up to seen are known, and there was no other before the moment known.
	seen  graph.Seq
	known time.Time

	hits, misses atomic.Int64
}

// New returns a cache that takes about so many bytes of memory.
func New(store graph.Store, bytes int) *Store {
	others, _ := graph.Behind[shared](store)
	return &Store{Store: store, Sets: graph.SetsOf(store), most: bytes / 2, shared: others, young: map[graph.ID]graph.Concept{}}
}

// Unwrap is the store behind.
func (s *Store) Unwrap() graph.Store { return s.Store }

// Counts says how many concepts were asked for that were remembered, and how many that were not.
func (s *Store) Counts() (hits, misses int64) { return s.hits.Load(), s.misses.Load() }

// Concepts implements graph.Reader.
func (s *Store) Concepts(ctx context.Context, ids []graph.ID) ([]graph.Concept, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	found, absent, removals := s.lookUp(ids)
	s.hits.Add(int64(len(found)))
	s.misses.Add(int64(len(absent)))
	if len(absent) == 0 {
		return found, nil
	}
	read, err := s.Store.Concepts(ctx, absent)
	if err != nil {
		return nil, err
	}
	s.keep(read, removals)
	if len(found) == 0 {
		return read, nil
	}
	return inOrder(ids, found, read), nil
}

// lookUp returns what is remembered, each once in the order of ids, and the ids of the rest.
func (s *Store) lookUp(ids []graph.ID) (found []graph.Concept, absent []graph.ID, removals int) {
	found = make([]graph.Concept, 0, len(ids))
	seen := make(map[graph.ID]struct{}, len(ids))
	s.mu.RLock()
	defer s.mu.RUnlock()
	upToDate := s.upToDate()
	for _, id := range ids {
		before := len(seen)
		if seen[id] = struct{}{}; len(seen) == before {
			continue
		}
		c, ok := s.young[id]
		if !ok {
			c, ok = s.old[id]
		}
		if ok && upToDate {
			found = append(found, c)
		} else {
			absent = append(absent, id)
		}
	}
	return found, absent, s.removals
}

// keep remembers what was read, unless something was removed since: then it may be out of date already.
func (s *Store) keep(read []graph.Concept, removals int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.removals != removals || !s.upToDate() {
		return
	}
	for _, c := range read {
		if s.size += weight(c); s.size > s.most {
			s.young, s.old, s.size = map[graph.ID]graph.Concept{}, s.young, weight(c)
		}
		s.young[c.ID] = c
	}
}

// weight is about what a concept takes up in a map.
func weight(c graph.Concept) int { return 200 + len(c.Value) }

func inOrder(ids []graph.ID, parts ...[]graph.Concept) []graph.Concept {
	byID := make(map[graph.ID]graph.Concept, len(ids))
	for _, part := range parts {
		for _, c := range part {
			byID[c.ID] = c
		}
	}
	all := make([]graph.Concept, 0, len(byID))
	for _, id := range ids {
		if c, ok := byID[id]; ok {
			all = append(all, c)
			delete(byID, id)
		}
	}
	return all
}

// Write implements graph.Store. A removal that was begun is seen through even if the caller leaves: or it
// could be committed later, when the concept has been remembered again.
func (s *Store) Write(ctx context.Context, b graph.Batch) (graph.Receipt, error) {
	if len(b.RemoveConcepts) == 0 {
		return s.Store.Write(ctx, b)
	}
	if err := ctx.Err(); err != nil {
		return graph.Receipt{}, err
	}
	ctx = context.WithoutCancel(ctx)
	receipt, err := s.Store.Write(ctx, b)
	if err != nil {
		s.forget(nil, true) // it may have been written all the same
	}
	if err != nil || receipt.Seq == 0 {
		return receipt, err
	}
	// The change says what ghosts among the removed stood for.
	changes, changesErr := s.Changes(ctx, receipt.Seq-1, 1)
	if changesErr != nil || len(changes) != 1 || changes[0].Wide {
		s.forget(nil, true)
		return receipt, nil //nolint:nilerr // the batch is written; forgetting everything is safe
	}
	s.forget(changes[0].Concepts, false)
	return receipt, nil
}

func (s *Store) forget(ids []graph.ID, all bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.removals++
	if all {
		s.young, s.old, s.size = map[graph.ID]graph.Concept{}, nil, 0
		s.types = types{}
		return
	}
	s.forgetTypes(ids)
	for _, id := range ids {
		delete(s.young, id)
		delete(s.old, id)
	}
}
