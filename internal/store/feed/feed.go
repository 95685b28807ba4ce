package feed

import (
	"context"
	"sync"

	"github.com/weft-graph/weft/graph"
)

// A Feed is a store that wakes its subscribers after every write that goes through it, and after writes of other
// processes if the store reports them.
type Feed struct {
	graph.Store
	graph.SetForwarder
	mu        sync.Mutex
	wake      chan struct{} // closed by the next write
	version   int64         // incremented when the store may have changes that the tail does not contain
	tail      tail
	closed    chan struct{}
	close     func()
	listening sync.WaitGroup
}

// A sharedStore is a store to which other processes also write. Until ctx is cancelled, Listen calls onChange after
// every change, and whenever it may have missed a change.
type sharedStore interface {
	Listen(ctx context.Context, onChange func())
}

// New returns the feed of a store.
func New(store graph.Store) *Feed {
	f := &Feed{
		Store: store, SetForwarder: graph.ForwardSets(store),
		wake: make(chan struct{}), closed: make(chan struct{}), tail: tail{lock: make(chan struct{}, 1)},
	}
	ctx, stop := context.WithCancel(context.Background())
	f.close = sync.OnceFunc(func() { close(f.closed); stop() })
	if s, ok := graph.As[sharedStore](store); ok {
		f.listening.Go(func() { s.Listen(ctx, f.wakeAll) })
	}
	return f
}

// Write implements graph.Store.
func (f *Feed) Write(ctx context.Context, b graph.Batch) (graph.Receipt, error) {
	receipt, err := f.Store.Write(ctx, b)
	if err == nil && receipt.Seq != 0 {
		f.wakeAll()
	}
	return receipt, err
}

// wakeAll wakes all waiting subscribers and invalidates the tail.
func (f *Feed) wakeAll() {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.wake)
	f.wake = make(chan struct{})
	f.version++
}

// invalidateTail makes the next subscriber read the store again, so that it finds changes that were not signalled.
func (f *Feed) invalidateTail() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.version++
}

// nextWake returns a channel that the next write closes, and the version that a tail must have so that it
// contains all earlier writes.
func (f *Feed) nextWake() (wake <-chan struct{}, version int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.wake, f.version
}

// Unwrap returns the store behind the feed.
func (f *Feed) Unwrap() graph.Store { return f.Store }

// Close ends all subscriptions and stops listening to other processes. It does not close the store.
func (f *Feed) Close() error {
	f.close()
	f.listening.Wait()
	return nil
}
