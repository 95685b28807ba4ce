// Package feed tells watchers what changed, as it changes and never silently less.
package feed

import (
	"context"
	"iter"
	"sync"
	"time"

	"github.com/weft-graph/weft/graph"
)

// A Feed is a store that wakes its watchers after every write that goes through it, and after those of other
// processes if the store hears of them. What it does not hear of is noticed with the next heart-beat.
type Feed struct {
	graph.Store
	graph.Sets
	mu        sync.Mutex
	wake      chan struct{} // closed by the next write
	looks     int64         // how often there was something to look for
	tail      tail
	closed    chan struct{}
	close     func()
	listening sync.WaitGroup
}

// A shared store is one that other processes write to as well. Listen calls woken after every change, and
// whenever it may have missed one, until ctx ends.
type shared interface {
	Listen(ctx context.Context, woken func())
}

// New returns the feed of a store.
func New(store graph.Store) *Feed {
	f := &Feed{
		Store: store, Sets: graph.SetsOf(store), wake: make(chan struct{}), closed: make(chan struct{}), tail: tail{turn: make(chan struct{}, 1)},
	}
	ctx, stop := context.WithCancel(context.Background())
	f.close = sync.OnceFunc(func() { close(f.closed); stop() })
	if s, ok := graph.Behind[shared](store); ok {
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

func (f *Feed) wakeAll() {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.wake)
	f.wake = make(chan struct{})
	f.looks++
}

// look makes the store be asked again, for what nobody told of.
func (f *Feed) look() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.looks++
}

// Unwrap is the store behind.
func (f *Feed) Unwrap() graph.Store { return f.Store }

// Close ends what Follow began, and listening. It does not close the store.
func (f *Feed) Close() error {
	f.close()
	f.listening.Wait()
	return nil
}

// A Kind says what an Event is.
type Kind int

// The kinds of event.
const (
	Ready   Kind = iota // the first one: changes after Seq follow
	Change              // Change was committed
	Reset               // changes up to Seq were missed: look again at everything
	Beat                // nothing to tell for a while; changes up to Seq are told
	Dropped             // the last one: the watcher is too slow, and was told changes up to Seq
)

// An Event is what a watcher hears.
type Event struct {
	Kind   Kind
	Seq    graph.Seq
	Change graph.Change
}

// Heartbeat is how long a watcher hears nothing at most.
const Heartbeat = 15 * time.Second

// A watcher further behind than backlog is better off looking again.
const (
	backlog = 1_000
	page    = 100
)

// Now is the place to follow from for what comes next.
const Now graph.Seq = -1

// Follow yields the changes after a number as a reader sees them, until the context or the feed ends, or
// until the watcher takes them so slowly that it falls behind by more than a thousand. A change in which the
// reader may see nothing is passed over.
func (f *Feed) Follow(ctx context.Context, r graph.Reader, after graph.Seq) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		w := watcher{feed: f, reader: r, after: after, yield: yield}
		if err := w.follow(ctx); err != nil && ctx.Err() == nil {
			yield(Event{}, err)
		}
	}
}

type watcher struct {
	feed   *Feed
	reader graph.Reader
	after  graph.Seq
	yield  func(Event, error) bool
}

func (w *watcher) follow(ctx context.Context) error {
	last, err := w.reader.LastSeq(ctx)
	if err != nil {
		return err
	}
	w.feed.look()
	if w.after == Now {
		w.after = last
	}
	if !w.yield(Event{Kind: Ready, Seq: w.after}, nil) {
		return nil
	}
	if last-w.after > backlog && !w.reset(last) {
		return nil
	}
	beat := time.NewTicker(Heartbeat)
	defer beat.Stop()
	for {
		wake, look := w.feed.next()
		more, err := w.catchUp(ctx, look)
		if err != nil || !more {
			return err
		}
		select {
		case <-wake:
		case <-beat.C:
			w.feed.look()
			more = w.yield(Event{Kind: Beat, Seq: w.after}, nil)
		case <-ctx.Done():
			more = false
		case <-w.feed.closed:
			more = false
		}
		if !more {
			return nil
		}
	}
}

func (f *Feed) next() (wake <-chan struct{}, look int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.wake, f.looks
}

// catchUp tells all there is to tell; it is false when nobody listens any more.
func (w *watcher) catchUp(ctx context.Context, look int64) (bool, error) {
	for {
		changes, err := w.changes(ctx, look)
		if graph.KindOf(err) == graph.NotFound {
			last, err := w.reader.LastSeq(ctx)
			if err != nil || !w.reset(last) {
				return false, err
			}
			continue
		}
		if err != nil || len(changes) == 0 {
			return true, err
		}
		for _, c := range changes {
			w.after = c.Seq
			if !empty(c) && !w.yield(Event{Kind: Change, Seq: c.Seq, Change: c}, nil) {
				return false, nil
			}
		}
		if slow, err := w.slow(ctx, len(changes)); err != nil || slow {
			return false, err
		}
	}
}

// slow gives up on a watcher that a full page of changes leaves too far behind.
func (w *watcher) slow(ctx context.Context, told int) (bool, error) {
	if told < page {
		return false, nil
	}
	last, err := w.reader.LastSeq(ctx)
	if err != nil || last-w.after <= backlog {
		return false, err
	}
	w.yield(Event{Kind: Dropped, Seq: w.after}, nil)
	return true, nil
}

func (w *watcher) reset(last graph.Seq) bool {
	w.after = last
	return w.yield(Event{Kind: Reset, Seq: last}, nil)
}

func empty(c graph.Change) bool {
	return !c.Wide && len(c.Concepts) == 0 && len(c.Connections) == 0
}
