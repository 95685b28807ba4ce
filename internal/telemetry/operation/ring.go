package operation

import "sync"

// A ring keeps the last items that were added, with numbers that count up from 1.
type ring[T any] struct {
	mu    sync.Mutex
	size  int
	items []T   // the item with the number n is at (n-1) % size
	last  int64 // number of the newest item
}

// add adds the item that create returns for its number.
func (r *ring[T]) add(create func(number int64) T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	item := create(r.last)
	if len(r.items) < r.size {
		r.items = append(r.items, item)
		return
	}
	r.items[(r.last-1)%int64(r.size)] = item
}

// list returns up to limit items that the filter selects, newest first, with numbers below before (0 means all). It also
// returns the number of the last returned item if there may be more items, and otherwise 0.
func (r *ring[T]) list(before int64, limit int, selects func(T) bool) (found []T, next int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	first := r.last - int64(len(r.items)) + 1
	number := r.last
	if before > 0 {
		number = min(number, before-1)
	}
	for ; number >= first; number-- {
		item := r.items[(number-1)%int64(r.size)]
		if !selects(item) {
			continue
		}
		if found = append(found, item); len(found) == limit {
			return found, number
		}
	}
	return found, 0
}
