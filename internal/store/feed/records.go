package feed

import (
	"context"
	"sync/atomic"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/budget"
)

// A changeRecords reads the records that one change names. It reads each record once for all subscribers and keeps it
// without its value. All reads begin after the change was committed, so the records are at least as new as the change.
//
// Without it, every subscriber would read the written records with their values after each write. Hundreds of such
// concurrent reads would block all other requests to the store.
type changeRecords struct {
	store graph.RecordReader
	count *recordCount
	lock  chan struct{} // a mutex whose Lock a context can interrupt: the channel is full while the mutex is held

	// Records by id; nil for a record that does not exist.
	concepts    map[graph.ID]*graph.Concept
	connections map[graph.ID]*graph.Connection
	kept        int64 // number of records in both maps, included in count
	isDropped   atomic.Bool
}

// maxKeptRecords is the maximum number of records that all changes of a tail keep, at about 100 bytes each. If there
// are more, the records of the oldest changes are dropped.
const maxKeptRecords = 200_000

// A recordCount is the number of records that all changes of a tail keep.
type recordCount struct{ atomic.Int64 }

func newChangeRecords(store graph.RecordReader, count *recordCount) *changeRecords {
	return &changeRecords{
		store: store, count: count, lock: make(chan struct{}, 1),
		concepts: map[graph.ID]*graph.Concept{}, connections: map[graph.ID]*graph.Connection{},
	}
}

// Concepts implements graph.RecordReader. The concepts have no values, and are in any order.
func (r *changeRecords) Concepts(ctx context.Context, ids []graph.ID) ([]graph.Concept, error) {
	return readOnce(ctx, r, r.concepts, ids, func(ids []graph.ID) ([]graph.Concept, error) {
		return budget.ConceptsWithoutTexts(ctx, r.store, ids)
	}, func(c graph.Concept) graph.ID { return c.ID })
}

// Connections implements graph.RecordReader. The connections are in any order.
func (r *changeRecords) Connections(ctx context.Context, ids []graph.ID) ([]graph.Connection, error) {
	return readOnce(ctx, r, r.connections, ids, func(ids []graph.ID) ([]graph.Connection, error) {
		return r.store.Connections(ctx, ids)
	}, func(c graph.Connection) graph.ID { return c.ID })
}

// readOnce returns the existing records with the given ids. It reads the records that no subscriber has read
// before.
func readOnce[T any](ctx context.Context, r *changeRecords, kept map[graph.ID]*T, ids []graph.ID, read func([]graph.ID) ([]T, error), idOf func(T) graph.ID) ([]T, error) {
	select {
	case r.lock <- struct{}{}:
		defer r.unlock()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	found := make([]T, 0, len(ids))
	var absent []graph.ID
	for _, id := range ids {
		switch record, isKept := kept[id]; {
		case !isKept:
			absent = append(absent, id)
		case record != nil:
			found = append(found, *record)
		}
	}
	if len(absent) == 0 {
		return found, nil
	}
	more, err := read(absent)
	if err != nil {
		return nil, err
	}
	for _, id := range absent {
		kept[id] = nil
	}
	for i := range more {
		kept[idOf(more[i])] = &more[i]
	}
	r.kept += int64(len(absent))
	r.count.Add(int64(len(absent)))
	return append(found, more...), nil
}

// unlock ends a read. If the change has left the tail, it removes the records.
func (r *changeRecords) unlock() {
	<-r.lock
	if r.isDropped.Load() {
		r.drop()
	}
}

// drop removes the records, immediately or at the end of the current read. A subscriber that still redacts the
// change then reads the records of the change itself.
func (r *changeRecords) drop() {
	r.isDropped.Store(true)
	select {
	case r.lock <- struct{}{}:
	default:
		return // unlock drops the records
	}
	r.count.Add(-r.kept)
	r.kept = 0
	clear(r.concepts)
	clear(r.connections)
	<-r.lock
}
