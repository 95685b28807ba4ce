package feed_test

import (
	"context"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/feed"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/internal/store/storetest"
)

// A feed must satisfy the contract of the store behind it.
func TestAFeedPassesTheTestsOfStores(t *testing.T) {
	storetest.Run(t, func(*testing.T) graph.Store { return feed.New(memory.New()) })
}

func note(t *testing.T, s graph.Store) graph.Seq {
	t.Helper()
	r, err := s.Write(t.Context(), graph.Batch{
		Sender:   graph.Sender{User: graph.Anonymous},
		Concepts: []graph.ConceptDraft{{Kind: graph.DraftComposition, TypeName: "the_note"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r.Seq
}

// A subscriber pulls events one by one.
type subscriber struct {
	t    *testing.T
	next func() (feed.Event, error, bool)
	stop func()
}

func subscribe(t *testing.T, f *feed.Feed, after graph.Seq) subscriber {
	next, stop := iter.Pull2(f.Follow(t.Context(), redactsNothing{f}, after))
	return subscriber{t, next, stop}
}

func (l subscriber) want(kind feed.Kind, seq graph.Seq) feed.Event {
	l.t.Helper()
	e, err, ok := l.next()
	if err != nil || !ok || e.Kind != kind || e.Seq != seq {
		l.t.Fatalf("received %+v, %v, %v; want kind %d of %d", e, err, ok, kind, seq)
	}
	return e
}

func TestFollow(t *testing.T) {
	run := func(name string, test func(t *testing.T, f *feed.Feed)) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, feed.New(memory.New())) })
		})
	}
	run("sends changes after the newest one, from Now", func(t *testing.T, f *feed.Feed) {
		note(t, f)
		l := subscribe(t, f, feed.Now)
		defer l.stop()
		l.want(feed.Ready, 1)
		note(t, f)
		if e := l.want(feed.Change, 2); len(e.Change.Concepts) == 0 || len(e.Change.Types) == 0 {
			t.Errorf("the change = %+v; want concepts and types", e.Change)
		}
	})
	run("sends changes of other processes as soon as the store reports them", func(t *testing.T, f *feed.Feed) {
		wake, ended := make(chan struct{}), make(chan struct{})
		shared := feed.New(&reportingStore{f.Store, wake, ended})
		l := subscribe(t, shared, feed.Now)
		defer l.stop()
		l.want(feed.Ready, 0)
		note(t, shared.Store)
		start := time.Now()
		wake <- struct{}{}
		l.want(feed.Change, 1)
		if took := time.Since(start); took != 0 {
			t.Errorf("the change was sent after %s", took)
		}
		if err := shared.Close(); err != nil {
			t.Error(err)
		}
		<-ended
	})
	run("sends changes after the given number", func(t *testing.T, f *feed.Feed) {
		for range 3 {
			note(t, f)
		}
		l := subscribe(t, f, 1)
		defer l.stop()
		l.want(feed.Ready, 1)
		l.want(feed.Change, 2)
		l.want(feed.Change, 3)
	})
	run("sends changes that were committed before the feed existed", func(t *testing.T, f *feed.Feed) {
		note(t, f.Store)
		l := subscribe(t, f, 0)
		defer l.stop()
		l.want(feed.Ready, 0)
		l.want(feed.Change, 1)
	})
	run("sends a heartbeat when there are no changes", func(t *testing.T, f *feed.Feed) {
		l := subscribe(t, f, feed.Now)
		defer l.stop()
		l.want(feed.Ready, 0)
		start := time.Now()
		l.want(feed.Heartbeat, 0)
		l.want(feed.Heartbeat, 0)
		if took := time.Since(start); took != 2*feed.HeartbeatInterval {
			t.Errorf("two heartbeats took %s", took)
		}
	})
	run("sends Reset when changes were deleted, then the changes that follow", func(t *testing.T, f *feed.Feed) {
		for range 3 {
			note(t, f)
		}
		if err := f.Store.(*memory.Store).DeleteBefore(t.Context(), time.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		l := subscribe(t, f, 1)
		defer l.stop()
		l.want(feed.Ready, 1)
		l.want(feed.Reset, 3)
		note(t, f)
		l.want(feed.Change, 4)
	})
	run("sends Reset for a number that the store never reached", func(t *testing.T, f *feed.Feed) {
		l := subscribe(t, f, 99)
		defer l.stop()
		l.want(feed.Ready, 99)
		l.want(feed.Reset, 0)
	})
	run("sends Reset instead of more than a thousand changes", func(t *testing.T, f *feed.Feed) {
		var last graph.Seq
		for range 1_001 {
			last = note(t, f)
		}
		l := subscribe(t, f, 0)
		defer l.stop()
		l.want(feed.Ready, 0)
		l.want(feed.Reset, last)
	})
	run("leaves out changes in which the reader sees nothing", func(t *testing.T, f *feed.Feed) {
		next, stop := iter.Pull2(f.Follow(t.Context(), seesNothing{f}, feed.Now))
		l := subscriber{t, next, stop}
		defer l.stop()
		l.want(feed.Ready, 0)
		note(t, f)
		l.want(feed.Heartbeat, 1)
	})
	run("reads each change once for all subscribers and redacts it for each", func(t *testing.T, f *feed.Feed) {
		counted := &countingStore{Store: f.Store}
		f = feed.New(counted)
		var blind, seeing []subscriber
		for range 10 {
			next, stop := iter.Pull2(f.Follow(t.Context(), redactsAll{f}, feed.Now))
			defer stop()
			blind = append(blind, subscriber{t, next, stop})
			l := subscribe(t, f, feed.Now)
			defer l.stop()
			seeing = append(seeing, l)
		}
		for _, l := range append(blind, seeing...) {
			l.want(feed.Ready, 0)
		}
		for seq := range graph.Seq(300) { // more changes than a tail holds
			note(t, f)
			for i := range seeing {
				blind[i].want(feed.Change, seq+1)
				if e := seeing[i].want(feed.Change, seq+1); len(e.Change.Concepts) == 0 {
					t.Fatalf("the change = %+v; want concepts", e.Change)
				}
			}
		}
		if counted.changes != 300 {
			t.Errorf("reading 300 changes took %d calls", counted.changes)
		}
	})
	run("sends changes that were not reported after the next heartbeat", func(t *testing.T, f *feed.Feed) {
		l := subscribe(t, f, feed.Now)
		defer l.stop()
		l.want(feed.Ready, 0)
		note(t, f)
		l.want(feed.Change, 1)
		note(t, f.Store)
		l.want(feed.Heartbeat, 1)
		l.want(feed.Change, 2)
	})
	run("drops a subscriber that lags too far", func(t *testing.T, f *feed.Feed) {
		l := subscribe(t, f, feed.Now)
		defer l.stop()
		l.want(feed.Ready, 0)
		for range 1_100 {
			note(t, f)
		}
		for seq := range graph.Seq(100) {
			l.want(feed.Change, seq+1)
		}
		note(t, f) // now 1,001 are left
		l.want(feed.Dropped, 100)
		if e, err, ok := l.next(); ok || err != nil {
			t.Errorf("received %+v, %v", e, err)
		}
	})
	run("ends when the feed is closed", func(t *testing.T, f *feed.Feed) {
		l := subscribe(t, f, feed.Now)
		defer l.stop()
		l.want(feed.Ready, 0)
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if e, err, ok := l.next(); ok || err != nil {
			t.Errorf("received %+v, %v", e, err)
		}
	})
	run("ends when its context ends", func(t *testing.T, f *feed.Feed) {
		ctx, cancel := context.WithCancel(t.Context())
		next, stop := iter.Pull2(f.Follow(ctx, f, feed.Now))
		defer stop()
		subscriber{t, next, stop}.want(feed.Ready, 0)
		cancel()
		if e, err, ok := next(); ok || err != nil {
			t.Errorf("received %+v, %v", e, err)
		}
	})
}

// A reportingStore is a store that reports the writes of other processes.
type reportingStore struct {
	graph.Store
	wake, ended chan struct{}
}

func (o *reportingStore) Listen(ctx context.Context, onChange func()) {
	defer close(o.ended)
	for {
		select {
		case <-o.wake:
			onChange()
		case <-ctx.Done():
			return
		}
	}
}

// seesNothing is a reader to which every change is empty.
type seesNothing struct{ graph.Reader }

func (b seesNothing) Changes(ctx context.Context, after graph.Seq, limit int) ([]graph.Change, error) {
	changes, err := b.Reader.Changes(ctx, after, limit)
	for i := range changes {
		changes[i].Concepts, changes[i].Connections = nil, nil
	}
	return changes, err
}

// redactsNothing is a reader that receives every change in full.
type redactsNothing struct{ graph.Reader }

func (redactsNothing) RedactChange(_ context.Context, c graph.Change, _ graph.RecordReader) (graph.Change, error) {
	return c, nil
}

// redactsAll is a reader that receives changes without their ids.
type redactsAll struct{ graph.Reader }

func (redactsAll) RedactChange(_ context.Context, c graph.Change, _ graph.RecordReader) (graph.Change, error) {
	return graph.Change{Seq: c.Seq, Wide: true}, nil
}

// A countingStore counts how often changes are read from it.
type countingStore struct {
	graph.Store
	changes int
}

func (a *countingStore) Changes(ctx context.Context, after graph.Seq, limit int) ([]graph.Change, error) {
	a.changes++
	return a.Store.Changes(ctx, after, limit)
}
