package cache

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/budget"
)

// A Store is a graph.Store that caches concepts by id, and types by name.
type Store struct {
	graph.Store
	graph.SetForwarder
	maxBytes int         // size of a generation
	shared   sharedStore // the store, if other processes write to it

	mu sync.RWMutex
	// Concepts are in one of two generations. When young is full, it becomes old, and the previous old is evicted.
	young, old map[graph.ID]graph.Concept
	size       int // of young, in bytes
	types      types
	evictions  int // number of evictions because of a removal

	// For a shared store: all changes up to followed were processed, and at upToDateAt no later change had been committed.
	followed   graph.Seq
	upToDateAt time.Time

	hits, misses atomic.Int64
}

// New returns a cache of a store. It uses about the given number of bytes of memory.
func New(store graph.Store, bytes int) *Store {
	shared, _ := graph.As[sharedStore](store)
	return &Store{Store: store, SetForwarder: graph.ForwardSets(store), maxBytes: bytes / 2, shared: shared, young: map[graph.ID]graph.Concept{}}
}

// Unwrap returns the store behind the cache.
func (s *Store) Unwrap() graph.Store { return s.Store }

// Counts returns the number of requested concepts that were in the cache (hits) and that were not (misses).
func (s *Store) Counts() (hits, misses int64) { return s.hits.Load(), s.misses.Load() }

// Concepts implements graph.Reader.
func (s *Store) Concepts(ctx context.Context, ids []graph.ID) ([]graph.Concept, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	found, absent, evictions := s.lookUp(ids)
	s.hits.Add(int64(len(found)))
	s.misses.Add(int64(len(absent)))
	if err := charge(ctx, found); err != nil {
		return nil, err
	}
	if len(absent) == 0 {
		return found, nil
	}
	read, err := s.Store.Concepts(ctx, absent)
	if err != nil {
		return nil, err
	}
	s.add(read, evictions)
	if len(found) == 0 {
		return read, nil
	}
	return inOrder(ids, found, read), nil
}

// charge charges the values of cached concepts to the account in ctx, because a response may hold a value after its concept
// was evicted.
func charge(ctx context.Context, found []graph.Concept) error {
	account, bytes := budget.Of(ctx), 0
	if account == nil {
		return nil
	}
	for i := range found {
		bytes += len(found[i].Value)
	}
	return account.Grow(int64(bytes))
}

// lookUp returns the cached concepts, each once in the order of ids, and the ids that are not cached.
func (s *Store) lookUp(ids []graph.ID) (found []graph.Concept, absent []graph.ID, evictions int) {
	found = make([]graph.Concept, 0, len(ids))
	seen := make(map[graph.ID]struct{}, len(ids))
	s.mu.RLock()
	defer s.mu.RUnlock()
	usable := s.isUsable()
	for _, id := range ids {
		before := len(seen)
		if seen[id] = struct{}{}; len(seen) == before {
			continue
		}
		c, ok := s.young[id]
		if !ok {
			c, ok = s.old[id]
		}
		if ok && usable {
			found = append(found, c)
		} else {
			absent = append(absent, id)
		}
	}
	return found, absent, s.evictions
}

// add caches concepts that were read, unless a removal was processed since they were read, because the concepts
// may then be out of date.
func (s *Store) add(read []graph.Concept, evictions int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.evictions != evictions || !s.isUsable() {
		return
	}
	for _, c := range read {
		if s.size += weight(c); s.size > s.maxBytes {
			s.young, s.old, s.size = map[graph.ID]graph.Concept{}, s.young, weight(c)
		}
		s.young[c.ID] = c
	}
}

// weight estimates the memory of a concept in a map, in bytes.
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

// Write implements graph.Store. A removal ignores the cancellation of ctx: if Write returned early, the removal could be
// committed after the concept was cached again.
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
		s.evict(nil, true) // the batch may have been written nevertheless
	}
	if err != nil || receipt.Seq == 0 {
		return receipt, err
	}
	// The change also lists the real ids of removed local ids.
	changes, changesErr := s.Changes(ctx, receipt.Seq-1, 1)
	if changesErr != nil || len(changes) != 1 || changes[0].Wide {
		s.evict(nil, true)
		return receipt, nil //nolint:nilerr // the batch is written; evicting everything is safe
	}
	s.evict(changes[0].Concepts, false)
	return receipt, nil
}

// evict drops concepts and types, or everything.
func (s *Store) evict(ids []graph.ID, all bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.evictions++
	if all {
		s.young, s.old, s.size = map[graph.ID]graph.Concept{}, nil, 0
		s.types = types{}
		return
	}
	s.evictTypes(ids)
	for _, id := range ids {
		delete(s.young, id)
		delete(s.old, id)
	}
}
