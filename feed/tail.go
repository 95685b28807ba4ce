package feed

import (
	"context"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// A teller is a reader that takes out of changes what it may not see, as it does with those that it reads. The list
// is its own, but not what stands in it.
type teller interface {
	Told(ctx context.Context, changes []graph.Change) ([]graph.Change, error)
}

// A tail is the newest changes of a store, read once for all who follow them.
type tail struct {
	turn    chan struct{} // holds one while somebody is at it
	looked  int64         // for which of the Feed's looks it was read
	last    graph.Seq
	changes []graph.Change // up to last
}

// remembered is how many changes a tail holds at most; each may be of thousands of ids.
const remembered = 256

// changes are those that come next for a watcher, as its reader sees them.
func (w *watcher) changes(ctx context.Context, look int64) ([]graph.Change, error) {
	t, ok := w.reader.(teller)
	if !ok {
		return w.reader.Changes(ctx, w.after, page)
	}
	found, ok, err := w.feed.recent(ctx, w.after, look)
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return w.reader.Changes(ctx, w.after, page)
	}
	return t.Told(ctx, found)
}

// recent is a page of changes from the tail, unless it holds only later ones. Whoever comes first after something
// happened reads them for all.
func (f *Feed) recent(ctx context.Context, after graph.Seq, look int64) ([]graph.Change, bool, error) {
	t := &f.tail
	select {
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
	case <-ctx.Done():
		return nil, false, ctx.Err()
	}
	if t.looked < look {
		if err := t.read(ctx, f.Store); err != nil {
			return nil, false, err
		}
		t.looked = look
	}
	before := t.last - graph.Seq(len(t.changes))
	if after < before || after > t.last {
		return nil, false, nil
	}
	rest := t.changes[after-before:]
	return slices.Clone(rest[:min(page, len(rest))]), true, nil
}

// read adds what is new. What is too much, or cannot be had, is left to those who want it.
func (t *tail) read(ctx context.Context, store graph.Store) error {
	found, err := store.Changes(ctx, t.last, remembered)
	switch {
	case graph.KindOf(err) == graph.NotFound || len(found) == remembered:
		t.changes = nil
		t.last, err = store.LastSeq(ctx)
		return err
	case err != nil || len(found) == 0:
		return err
	}
	t.last = found[len(found)-1].Seq
	t.changes = append(t.changes, found...)
	if n := len(t.changes) - remembered; n > 0 {
		t.changes = slices.Clone(t.changes[n:])
	}
	return nil
}
