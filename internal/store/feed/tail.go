package feed

import (
	"context"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// A ChangeRedactor is a reader that can also redact changes that another reader loaded. It must not modify the slices of
// the change. It reads the records of the change from the given reader, which returns concepts without values.
type ChangeRedactor interface {
	RedactChange(ctx context.Context, c graph.Change, records graph.RecordReader) (graph.Change, error)
}

// A tail holds the newest changes of a store, read once for all subscribers.
type tail struct {
	lock    chan struct{} // a mutex whose Lock a context can interrupt: the channel is full while the mutex is held
	version int64         // version of the Feed when the tail was read
	last    graph.Seq
	records recordCount
	changes []tailChange // up to last, without a gap
}

// A tailChange is a change with the records that it names, which the subscribers share.
type tailChange struct {
	graph.Change
	records *changeRecords
}

// maxTail is the maximum number of changes in a tail. Each may list thousands of ids.
const maxTail = 256

// nextChanges returns up to pageSize of the next changes for a subscriber, as its reader sees them.
func (s *subscription) nextChanges(ctx context.Context, version int64) ([]graph.Change, error) {
	redactor, ok := s.reader.(ChangeRedactor)
	if !ok {
		return s.reader.Changes(ctx, s.after, pageSize)
	}
	found, ok, err := s.feed.recentChanges(ctx, s.after, version)
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return s.reader.Changes(ctx, s.after, pageSize)
	}
	redacted := make([]graph.Change, len(found))
	for i, c := range found {
		if redacted[i], err = redactor.RedactChange(ctx, c.Change, c.records); err != nil {
			return nil, err
		}
	}
	return redacted, nil
}

// recentChanges returns a page of changes after a number from the tail, and false if the tail begins later. It first
// updates a tail that is older than version.
func (f *Feed) recentChanges(ctx context.Context, after graph.Seq, version int64) ([]tailChange, bool, error) {
	t := &f.tail
	select {
	case t.lock <- struct{}{}:
		defer func() { <-t.lock }()
	case <-ctx.Done():
		return nil, false, ctx.Err()
	}
	if t.version < version {
		if err := t.read(ctx, f.Store); err != nil {
			return nil, false, err
		}
		t.version = version
	}
	before := t.last - graph.Seq(len(t.changes))
	if after < before || after > t.last {
		return nil, false, nil
	}
	rest := t.changes[after-before:]
	return slices.Clone(rest[:min(pageSize, len(rest))]), true, nil
}

// read adds new changes. If there are more than the tail can hold, or changes after last were deleted, it begins
// again after the newest change. Subscribers that need earlier changes read them from the store themselves.
func (t *tail) read(ctx context.Context, store graph.Store) error {
	found, err := store.Changes(ctx, t.last, maxTail)
	switch {
	case graph.KindOf(err) == graph.NotFound || len(found) == maxTail:
		for _, c := range t.changes {
			c.records.drop()
		}
		t.changes = nil
		t.last, err = store.LastSeq(ctx)
		return err
	case err != nil || len(found) == 0:
		return err
	}
	t.last = found[len(found)-1].Seq
	for _, c := range found {
		t.changes = append(t.changes, tailChange{c, newChangeRecords(store, &t.records)})
	}
	t.dropOldRecords()
	if n := len(t.changes) - maxTail; n > 0 {
		for _, c := range t.changes[:n] {
			c.records.drop()
		}
		t.changes = slices.Clone(t.changes[n:])
	}
	return nil
}

// dropOldRecords drops the records of the oldest changes while more than maxKeptRecords are kept.
func (t *tail) dropOldRecords() {
	for i := 0; i < len(t.changes)-1 && t.records.Load() > maxKeptRecords; i++ {
		t.changes[i].records.drop()
	}
}
