package cache

import (
	"context"
	"sync"
	"time"

	"github.com/weft-graph/weft/graph"
)

// A shared store is one that other processes write to as well. Listen calls woken after every change, and
// whenever it may have missed one, until ctx ends.
type shared interface {
	Listen(ctx context.Context, woken func())
}

// Staleness is how long a concept that another process removed may still be read here, at most. Normally it
// is gone within milliseconds; when changes cannot be followed, nothing is remembered after this time.
const Staleness = 2 * time.Second

// often is how often changes are looked for when no wake-up comes.
const often = Staleness / 2

// Listen follows the changes of a shared store until ctx ends, forgets what they touched and then calls woken.
// As long as it does not run, nothing is remembered. Whoever read a change through this store reads nothing
// here that is older. It returns at once when nobody else writes to the store.
func (s *Store) Listen(ctx context.Context, woken func()) {
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
	look := time.NewTicker(often)
	defer look.Stop()
	s.restart(ctx)
	for {
		if s.follow(ctx) {
			woken()
		}
		select {
		case <-wake:
		case <-look.C:
		case <-ctx.Done():
			return
		}
	}
}

// Changes are taken so many at a time. A cache further behind than backlog does better to start afresh.
const (
	page    = 500
	backlog = 10_000
)

// follow takes account of the changes since it last did, and says whether there were any.
func (s *Store) follow(ctx context.Context) bool {
	asked := time.Now()
	start, changed := s.seen, false // nobody else sets seen
	for {
		changes, err := s.Store.Changes(ctx, s.seen, page)
		switch {
		case graph.KindOf(err) == graph.NotFound || s.seen-start > backlog:
			if !s.restart(ctx) {
				return true
			}
			start, changed = s.seen, true
			continue
		case err != nil:
			return changed
		}
		s.take(changes)
		s.mu.Lock()
		if len(changes) > 0 {
			s.seen = changes[len(changes)-1].Seq
		}
		if len(changes) < page {
			s.known = asked
		}
		s.mu.Unlock()
		if len(changes) < page {
			return changed || s.seen > start
		}
	}
}

// restart forgets everything and goes on from the newest change, if it can be asked for.
func (s *Store) restart(ctx context.Context) bool {
	last, err := s.LastSeq(ctx)
	if err != nil {
		return false
	}
	s.forget(nil, true)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = last
	return true
}

// upToDate says whether what is remembered may be told.
func (s *Store) upToDate() bool { return s.shared == nil || time.Since(s.known) < Staleness }

// Changes implements graph.Reader.
func (s *Store) Changes(ctx context.Context, after graph.Seq, limit int) ([]graph.Change, error) {
	changes, err := s.Store.Changes(ctx, after, limit)
	if s.shared != nil {
		s.take(changes)
	}
	return changes, err
}

// take forgets what changes touched, unless that is done already.
func (s *Store) take(changes []graph.Change) {
	s.mu.RLock()
	seen := s.seen
	s.mu.RUnlock()
	for _, c := range changes {
		if c.Seq > seen {
			s.forget(c.Concepts, c.Wide)
		}
	}
}
