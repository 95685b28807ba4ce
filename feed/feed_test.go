package feed_test

import (
	"context"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weft-graph/weft/feed"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/store/memory"
	"github.com/weft-graph/weft/store/storetest"
)

// A feed keeps every promise of the store it stands before.
func TestStore(t *testing.T) {
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

// A listener pulls events one by one.
type listener struct {
	t    *testing.T
	next func() (feed.Event, error, bool)
	stop func()
}

func listen(t *testing.T, f *feed.Feed, after graph.Seq) listener {
	next, stop := iter.Pull2(f.Follow(t.Context(), all{f}, after))
	return listener{t, next, stop}
}

func (l listener) want(kind feed.Kind, seq graph.Seq) feed.Event {
	l.t.Helper()
	e, err, ok := l.next()
	if err != nil || !ok || e.Kind != kind || e.Seq != seq {
		l.t.Fatalf("heard %+v, %v, %v; want kind %d of %d", e, err, ok, kind, seq)
	}
	return e
}

func TestFollow(t *testing.T) {
	run := func(name string, test func(t *testing.T, f *feed.Feed)) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, feed.New(memory.New())) })
		})
	}
	run("starts now, and tells what comes next", func(t *testing.T, f *feed.Feed) {
		note(t, f)
		l := listen(t, f, feed.Now)
		defer l.stop()
		l.want(feed.Ready, 1)
		note(t, f)
		if e := l.want(feed.Change, 2); len(e.Change.Concepts) == 0 || len(e.Change.Types) == 0 {
			t.Errorf("the change is %+v", e.Change)
		}
	})
	run("is woken by what others write", func(t *testing.T, f *feed.Feed) {
		wake, heard := make(chan struct{}), make(chan struct{})
		shared := feed.New(&overheard{f.Store, wake, heard})
		l := listen(t, shared, feed.Now)
		defer l.stop()
		l.want(feed.Ready, 0)
		note(t, shared.Store)
		start := time.Now()
		wake <- struct{}{}
		l.want(feed.Change, 1)
		if took := time.Since(start); took != 0 {
			t.Errorf("the change was told after %s", took)
		}
		if err := shared.Close(); err != nil {
			t.Error(err)
		}
		<-heard
	})
	run("starts behind what was seen", func(t *testing.T, f *feed.Feed) {
		for range 3 {
			note(t, f)
		}
		l := listen(t, f, 1)
		defer l.stop()
		l.want(feed.Ready, 1)
		l.want(feed.Change, 2)
		l.want(feed.Change, 3)
	})
	run("starts behind what was written before there was a feed", func(t *testing.T, f *feed.Feed) {
		note(t, f.Store)
		l := listen(t, f, 0)
		defer l.stop()
		l.want(feed.Ready, 0)
		l.want(feed.Change, 1)
	})
	run("says that it is still there", func(t *testing.T, f *feed.Feed) {
		l := listen(t, f, feed.Now)
		defer l.stop()
		l.want(feed.Ready, 0)
		start := time.Now()
		l.want(feed.Beat, 0)
		l.want(feed.Beat, 0)
		if took := time.Since(start); took != 2*feed.Heartbeat {
			t.Errorf("two beats took %s", took)
		}
	})
	run("says so when changes were forgotten, and goes on from there", func(t *testing.T, f *feed.Feed) {
		for range 3 {
			note(t, f)
		}
		if err := f.Store.(*memory.Store).Forget(t.Context(), time.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		l := listen(t, f, 1)
		defer l.stop()
		l.want(feed.Ready, 1)
		l.want(feed.Reset, 3)
		note(t, f)
		l.want(feed.Change, 4)
	})
	run("says so when the reader knows a future that this store never had", func(t *testing.T, f *feed.Feed) {
		l := listen(t, f, 99)
		defer l.stop()
		l.want(feed.Ready, 99)
		l.want(feed.Reset, 0)
	})
	run("says so rather than tell a very long story", func(t *testing.T, f *feed.Feed) {
		var last graph.Seq
		for range 1_001 {
			last = note(t, f)
		}
		l := listen(t, f, 0)
		defer l.stop()
		l.want(feed.Ready, 0)
		l.want(feed.Reset, last)
	})
	run("passes over what the reader may not see", func(t *testing.T, f *feed.Feed) {
		next, stop := iter.Pull2(f.Follow(t.Context(), blind{f}, feed.Now))
		l := listener{t, next, stop}
		defer l.stop()
		l.want(feed.Ready, 0)
		note(t, f)
		l.want(feed.Beat, 1)
	})
	run("reads what is new once for all, each of whom hears what is theirs", func(t *testing.T, f *feed.Feed) {
		counted := &asked{Store: f.Store}
		f = feed.New(counted)
		var deaf, hearing []listener
		for range 10 {
			next, stop := iter.Pull2(f.Follow(t.Context(), none{f}, feed.Now))
			defer stop()
			deaf = append(deaf, listener{t, next, stop})
			l := listen(t, f, feed.Now)
			defer l.stop()
			hearing = append(hearing, l)
		}
		for _, l := range append(deaf, hearing...) {
			l.want(feed.Ready, 0)
		}
		for seq := range graph.Seq(300) { // more than are remembered
			note(t, f)
			for i := range hearing {
				deaf[i].want(feed.Change, seq+1)
				if e := hearing[i].want(feed.Change, seq+1); len(e.Change.Concepts) == 0 {
					t.Fatalf("the change is %+v", e.Change)
				}
			}
		}
		if counted.changes != 300 {
			t.Errorf("of 300 changes the store was asked %d times", counted.changes)
		}
	})
	run("notices with a beat what nobody told of", func(t *testing.T, f *feed.Feed) {
		l := listen(t, f, feed.Now)
		defer l.stop()
		l.want(feed.Ready, 0)
		note(t, f)
		l.want(feed.Change, 1)
		note(t, f.Store)
		l.want(feed.Beat, 1)
		l.want(feed.Change, 2)
	})
	run("gives up on who takes it too slowly", func(t *testing.T, f *feed.Feed) {
		l := listen(t, f, feed.Now)
		defer l.stop()
		l.want(feed.Ready, 0)
		for range 1_100 {
			note(t, f)
		}
		for seq := range graph.Seq(100) {
			l.want(feed.Change, seq+1)
		}
		note(t, f) // now a thousand and one are left
		l.want(feed.Dropped, 100)
		if e, err, ok := l.next(); ok || err != nil {
			t.Errorf("heard %+v, %v", e, err)
		}
	})
	run("ends with the feed", func(t *testing.T, f *feed.Feed) {
		l := listen(t, f, feed.Now)
		defer l.stop()
		l.want(feed.Ready, 0)
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if e, err, ok := l.next(); ok || err != nil {
			t.Errorf("heard %+v, %v", e, err)
		}
	})
	run("ends with its context", func(t *testing.T, f *feed.Feed) {
		ctx, cancel := context.WithCancel(t.Context())
		next, stop := iter.Pull2(f.Follow(ctx, f, feed.Now))
		defer stop()
		listener{t, next, stop}.want(feed.Ready, 0)
		cancel()
		if e, err, ok := next(); ok || err != nil {
			t.Errorf("heard %+v, %v", e, err)
		}
	})
}

// overheard is a store whose other writers are heard.
type overheard struct {
	graph.Store
	wake, ended chan struct{}
}

func (o *overheard) Listen(ctx context.Context, woken func()) {
	defer close(o.ended)
	for {
		select {
		case <-o.wake:
			woken()
		case <-ctx.Done():
			return
		}
	}
}

// blind is a reader to whom every change is empty.
type blind struct{ graph.Reader }

func (b blind) Changes(ctx context.Context, after graph.Seq, limit int) ([]graph.Change, error) {
	changes, err := b.Reader.Changes(ctx, after, limit)
	for i := range changes {
		changes[i].Concepts, changes[i].Connections = nil, nil
	}
	return changes, err
}

// all is a reader who hears everything, of changes that were read for somebody else as well.
type all struct{ graph.Reader }

func (all) Told(_ context.Context, changes []graph.Change) ([]graph.Change, error) {
	return changes, nil
}

// none hears that there are changes, and nothing of what they touched.
type none struct{ graph.Reader }

func (none) Told(_ context.Context, changes []graph.Change) ([]graph.Change, error) {
	for i := range changes {
		changes[i] = graph.Change{Seq: changes[i].Seq, Wide: true}
	}
	return changes, nil
}

// asked counts how often a store is asked for changes.
type asked struct {
	graph.Store
	changes int
}

func (a *asked) Changes(ctx context.Context, after graph.Seq, limit int) ([]graph.Change, error) {
	a.changes++
	return a.Store.Changes(ctx, after, limit)
}
