package longwork

import (
	"context"
	"slices"
	"sync"
	"time"
)

// A line divides slots among owners by time. Each owner has a clock that counts how long its workers have held slots. A free slot goes to
// the waiting worker whose owner's clock shows the least time. If several workers qualify, the worker that has waited longest gets the
// slot. The clock of an owner that was inactive is set forward to the clock of the last served owner, so that an owner cannot save unused
// time for later.
type line struct {
	mu      sync.Mutex
	free    int
	waiting []*waiter // oldest first
	owners  map[string]*owner
	served  time.Duration // the clock of the owner that received the last slot, at the time when it received the slot
}

// An owner is listed while it has workers that hold slots or wait for slots, or while its clock is ahead of
// served.
type owner struct {
	clock   time.Duration
	workers int // number of workers that hold a slot or wait for one
}

type waiter struct {
	owner   *owner
	granted chan struct{} // closed when the worker holds a slot
}

// acquire waits for a slot. It returns the error of ctx if ctx ends first.
func (l *line) acquire(ctx context.Context, name string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l.mu.Lock()
	w := l.join(l.enter(name))
	l.mu.Unlock()
	return l.await(ctx, name, w)
}

// exchange returns a slot that the owner has held for the given time, and waits for the next slot. The owner gets the same
// slot again if no waiting owner has a clock that shows less time. exchange returns the error of ctx if ctx ends first.
func (l *line) exchange(ctx context.Context, name string, held time.Duration) error {
	if err := ctx.Err(); err != nil {
		l.release(name, held)
		return err
	}
	l.mu.Lock()
	o := l.owners[name]
	o.clock += held
	l.free++
	w := l.join(o)
	l.mu.Unlock()
	return l.await(ctx, name, w)
}

// release returns the slot of an owner that was held for a time.
func (l *line) release(name string, held time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	o := l.owners[name]
	o.clock += held
	l.free++
	l.leave(name, o)
	l.grant()
}

// join adds a worker to the line. The caller holds the lock.
func (l *line) join(o *owner) *waiter {
	w := &waiter{o, make(chan struct{})}
	l.waiting = append(l.waiting, w)
	l.grant()
	return w
}

// await waits until a worker in the line holds a slot. It returns the error of ctx if ctx ends first.
func (l *line) await(ctx context.Context, name string, w *waiter) error {
	select {
	case <-w.granted:
		return nil
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.Index(l.waiting, w)
	if i < 0 {
		return nil // granted at the same time
	}
	l.waiting = slices.Delete(l.waiting, i, i+1)
	l.leave(name, w.owner)
	return ctx.Err()
}

// enter returns an owner after adding one worker. The caller holds the lock.
func (l *line) enter(name string) *owner {
	o := l.owners[name]
	if o == nil {
		o = &owner{}
		l.owners[name] = o
	}
	if o.workers == 0 {
		o.clock = max(o.clock, l.served)
	}
	o.workers++
	return o
}

// leave removes one worker of an owner, and removes owners whose clocks no longer matter. The caller holds the lock.
func (l *line) leave(name string, o *owner) {
	if o.workers--; o.workers == 0 && o.clock <= l.served {
		delete(l.owners, name)
	}
	if len(l.waiting) > 0 || o.workers > 0 {
		return
	}
	for _, other := range l.owners {
		if other.workers > 0 {
			return
		}
	}
	clear(l.owners)
	l.served = 0
}

// grant assigns free slots to the next workers. The caller holds the lock.
func (l *line) grant() {
	for l.free > 0 && len(l.waiting) > 0 {
		next := 0
		for i, w := range l.waiting {
			if w.owner.clock < l.waiting[next].owner.clock {
				next = i
			}
		}
		w := l.waiting[next]
		l.waiting = slices.Delete(l.waiting, next, next+1)
		l.free--
		l.served = max(l.served, w.owner.clock)
		close(w.granted)
	}
}
