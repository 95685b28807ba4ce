// Package longwork keeps a processor free for short requests while other requests read, search or encode much data.
//
// The Go scheduler runs goroutines in turn, but polls for network events only when a processor is idle, or every 10 ms. A few
// requests that compute without pause can therefore delay every step of all other requests by 10 ms. This package reserves
// one processor for short work: a request that has worked for long continues only while it holds a slot. There is one slot
// fewer than there are processors, but at least one. A request passes its slot on whenever it can pause.
//
//	short ── freeTime or freeBytes used up, at a pause, or Require ──► waiting ── slot ──► holding ── pause ──► waiting …
//
// A slot goes to the owner whose requests have held slots for the shortest time, so that an owner with many long requests
// receives as much time as an owner with one; see line.
//
// A Worker belongs to a request and is in its context. Code calls Pause where the request holds nothing for which others wait, such
// as a connection to the store, and Release before it waits for anything else: a client, memory, or a turn.
//
// Costs: a pause of short work is a look-up in the context and a comparison of times; of long work, two operations on a line.
package longwork

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// freeTime is how long a worker works before it needs a slot.
	freeTime = 50 * time.Millisecond
	// freeBytes is the size, in bytes, of the values that a worker handles before it needs a slot.
	freeBytes = 1 << 20
)

// maxRequireWait is how long Require waits for a slot. The holder may be in a statement of the store that takes seconds.
const maxRequireWait = 100 * time.Millisecond

// Slots limits the number of workers with long work; each holds one slot.
type Slots struct{ line line }

// NewSlots returns slots for a number of processors.
func NewSlots(processors int) *Slots {
	return &Slots{line{free: max(1, processors-1), owners: map[string]*owner{}}}
}

// OfProcess holds the slots of this process.
var OfProcess = NewSlots(runtime.GOMAXPROCS(0))

// A Worker is the work for one request. A nil Worker never waits. It is safe for concurrent use.
type Worker struct {
	slots *Slots
	owner string
	start time.Time

	waited atomic.Int64 // nanoseconds

	mu    sync.Mutex
	bytes int64
	since time.Time // when it received the slot that it holds; zero if it holds no slot
}

// Start returns a worker of an owner that begins now. The caller must call Release at the end.
func (s *Slots) Start(owner string) *Worker {
	return &Worker{slots: s, owner: owner, start: time.Now()}
}

// Pause passes the slot on, if the worker holds one, and waits for the next slot if the work is long. bytes is the size of the
// values that were handled since the last call. It returns the error of ctx if ctx ends first. The caller must not hold a
// resource that other requests need.
func (w *Worker) Pause(ctx context.Context, bytes int) error {
	if w == nil || !w.mu.TryLock() { // another goroutine of the request is already waiting
		return ctx.Err()
	}
	defer w.mu.Unlock()
	w.bytes += int64(bytes)
	if w.bytes <= freeBytes && time.Since(w.start) <= freeTime {
		w.release() // Require may have taken a slot before the work was long
		return ctx.Err()
	}
	return w.hold(ctx)
}

// hold waits for a slot, or for the next slot if the worker already holds one. The caller holds the lock.
func (w *Worker) hold(ctx context.Context) (err error) {
	now := time.Now()
	defer w.AddWait(now)
	if w.since.IsZero() {
		err = w.slots.line.acquire(ctx, w.owner)
	} else {
		err = w.slots.line.exchange(ctx, w.owner, now.Sub(w.since))
	}
	w.since = time.Time{}
	if err == nil {
		w.since = time.Now()
	}
	return err
}

// Require waits for a slot although the work of the request is short, because the owner of the request has had many other
// requests. The worker holds the slot until the next pause. After maxRequireWait, it continues without a slot. Require
// returns the error of ctx if ctx ends first.
func (w *Worker) Require(ctx context.Context) error {
	if w == nil || !w.mu.TryLock() {
		return ctx.Err()
	}
	defer w.mu.Unlock()
	limited, cancel := context.WithTimeout(ctx, maxRequireWait)
	defer cancel()
	if w.hold(limited) != nil {
		return ctx.Err()
	}
	return nil
}

// AddWait records that the worker has waited since the given time. Code that makes the worker wait for something other than a
// slot must call it.
func (w *Worker) AddWait(since time.Time) {
	if w != nil {
		w.waited.Add(int64(time.Since(since)))
	}
}

// Waited returns how long the worker has waited.
func (w *Worker) Waited() time.Duration {
	if w == nil {
		return 0
	}
	return time.Duration(w.waited.Load())
}

// Release passes the slot on, if the worker holds one.
func (w *Worker) Release() {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.release()
}

func (w *Worker) release() {
	if !w.since.IsZero() {
		w.slots.line.release(w.owner, time.Since(w.since))
		w.since = time.Time{}
	}
}

type contextKey struct{}

// In returns a context with a worker.
func In(ctx context.Context, w *Worker) context.Context {
	return context.WithValue(ctx, contextKey{}, w)
}

// Of returns the worker in a context. Without one it returns nil, a worker that never waits.
func Of(ctx context.Context) *Worker {
	w, _ := ctx.Value(contextKey{}).(*Worker)
	return w
}
