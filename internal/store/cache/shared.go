package cache

import (
	"context"
	"sync"
	"time"

	"github.com/weft-graph/weft/graph"
)

// A sharedStore is a store to which other processes also write. Listen calls onChange after every change, and whenever
// it may have missed a change, until ctx ends.
type sharedStore interface {
	Listen(ctx context.Context, onChange func())
}

// Staleness is the longest time for which a concept that another process removed may still be read here. Normally the concept
// is evicted within milliseconds; if changes cannot be followed, nothing is served from the cache after this time.
const Staleness = 2 * time.Second

// checkInterval is the time between reads of the changes if the store does not report any.
const checkInterval = Staleness / 2

// Listen follows the changes of a shared store until ctx ends, evicts the concepts that they touched, and then calls
// onChange. While Listen does not run, nothing is served from the cache. A caller that has read a change through this store
// never reads a concept that is older than the change. Listen returns immediately if no other process writes to the store.
func (s *Store) Listen(ctx context.Context, onChange func()) {
	if s.shared == nil {
		return
	}
	wake := make(chan struct{}, 1)
	var listening sync.WaitGroup
	defer listening.Wait()
	listening.Go(func() {
		s.shared.Listen(ctx, func() {
			select {
			case wake <- struct{}{}:
			default:
			}
		})
	})
	check := time.NewTicker(checkInterval)
	defer check.Stop()
	s.restart(ctx)
	for {
		if s.follow(ctx) {
			onChange()
		}
		select {
		case <-wake:
		case <-check.C:
		case <-ctx.Done():
			return
		}
	}
}

const (
	pageSize = 500    // changes in one read
	maxLag   = 10_000 // changes; a cache further behind evicts everything
)

// follow evicts the concepts that new changes touched, and reports whether there were, or may have been, new changes.
func (s *Store) follow(ctx context.Context) bool {
	began := time.Now()
	start, changed := s.followed, false // only this goroutine sets followed
	for {
		changes, err := s.Store.Changes(ctx, s.followed, pageSize)
		switch {
		case graph.KindOf(err) == graph.NotFound || s.followed-start > maxLag:
			if !s.restart(ctx) {
				return true
			}
			start, changed = s.followed, true
			continue
		case err != nil:
			return changed
		}
		s.evictTouched(changes)
		s.mu.Lock()
		if len(changes) > 0 {
			s.followed = changes[len(changes)-1].Seq
		}
		if len(changes) < pageSize {
			s.upToDateAt = began
		}
		s.mu.Unlock()
		if len(changes) < pageSize {
			return changed || s.followed > start
		}
	}
}

// restart evicts everything and continues after the newest change. It returns false if the newest change cannot be read.
func (s *Store) restart(ctx context.Context) bool {
	last, err := s.LastSeq(ctx)
	if err != nil {
		return false
	}
	s.evict(nil, true)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.followed = last
	return true
}

// isUsable reports whether cached records may be returned.
func (s *Store) isUsable() bool { return s.shared == nil || time.Since(s.upToDateAt) < Staleness }

// Changes implements graph.Reader.
func (s *Store) Changes(ctx context.Context, after graph.Seq, limit int) ([]graph.Change, error) {
	changes, err := s.Store.Changes(ctx, after, limit)
	if s.shared != nil {
		s.evictTouched(changes)
	}
	return changes, err
}

// evictTouched evicts the concepts that the given changes touched. It ignores changes that were already followed.
func (s *Store) evictTouched(changes []graph.Change) {
	s.mu.RLock()
	followed := s.followed
	s.mu.RUnlock()
	for _, c := range changes {
		if c.Seq > followed {
			s.evict(c.Concepts, c.Wide)
		}
	}
}
