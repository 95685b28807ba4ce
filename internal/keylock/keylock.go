// Package keylock locks keys, such as values or ids, so that work on the same key is serialised.
package keylock

import (
	"context"
	"hash/fnv"
	"slices"
)

// Locks is a fixed number of locks that all keys share: two keys may have the same lock. Each lock is a channel, so that a caller
// that waits for a lock can give up.
type Locks struct {
	locks []chan struct{} // of capacity 1; full while the lock is held
}

// New returns n locks.
func New(n int) *Locks {
	l := &Locks{locks: make([]chan struct{}, n)}
	for i := range l.locks {
		l.locks[i] = make(chan struct{}, 1)
	}
	return l
}

// Indexes returns the indexes of the locks of keys, in ascending order, each once. They are the same in every process with the
// same number of locks.
func (l *Locks) Indexes(keys ...string) []int32 {
	indexes := make([]int32, len(keys))
	for i, key := range keys {
		h := fnv.New32a()
		_, _ = h.Write([]byte(key))
		indexes[i] = int32(uint64(h.Sum32()) % uint64(len(l.locks))) //nolint:gosec // less than the number of locks
	}
	slices.Sort(indexes)
	return slices.Compact(indexes)
}

// Lock locks the locks with the given indexes and returns a function that unlocks them. The indexes must be a result of Indexes, because
// callers that lock in the same order cannot deadlock. If ctx ends while Lock waits, it returns the error of ctx and holds no lock.
func (l *Locks) Lock(ctx context.Context, indexes []int32) (unlock func(), err error) {
	held := 0
	unlock = func() {
		for _, i := range indexes[:held] {
			<-l.locks[i]
		}
	}
	for _, i := range indexes {
		select {
		case l.locks[i] <- struct{}{}:
			held++
		case <-ctx.Done():
			unlock()
			return nil, ctx.Err()
		}
	}
	return unlock, nil
}
