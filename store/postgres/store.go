// Package postgres keeps a graph in a PostgreSQL database, which any number of processes may share.
//
// A group of waiting batches becomes one transaction of half a dozen round trips, whatever its size: what
// the batches mention is read in sets, what they become is planned in memory, and that is written in sets.
// Other servers write at the same time. What keeps them apart stands in writer.go.
//
// Nothing here needs more of PostgreSQL than a distributed one has: ids come in blocks from a table, integrity
// is ours to keep, walks go level by level; and who asks can do without selections.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/kv"
)

// A Store is a graph.Store in a database.
type Store struct {
	*Reader
	batches *queue[*write]
	kv      *kvStore
	close   func() error
}

// Open opens the store in the database at a URL (postgres://user:password@host:port/database?…), and makes
// it or brings it up to date if need be.
func Open(ctx context.Context, url string) (*Store, error) {
	pool, err := connect(ctx, url)
	if err != nil {
		return nil, err
	}
	refused, err := migrate(ctx, pool)
	if err != nil {
		pool.Close()
		return nil, failed(ctx, "opening the store", err)
	}
	w := &writer{pool: pool}
	s := &Store{
		Reader:  newReader(pool),
		batches: newQueue(w.commit, (*write).alone, (*write).size),
		kv:      newKV(pool),
	}
	s.unindexed = refused
	s.close = sync.OnceValue(s.closeAll)
	return s, nil
}

// Write implements graph.Store.
func (s *Store) Write(ctx context.Context, b graph.Batch) (graph.Receipt, error) {
	if err := b.Check(); err != nil {
		return graph.Receipt{}, err
	}
	w := &write{batch: &b, by: b.Sender.Key()}
	if err := s.batches.do(ctx, w); err != nil {
		return graph.Receipt{}, err
	}
	return w.receipt, nil
}

// Reserve implements graph.Store.
func (s *Store) Reserve(ctx context.Context, user graph.ID, n int) ([]graph.ID, error) {
	if err := graph.CheckReserve(user, n); err != nil {
		return nil, err
	}
	ids, err := collect(ctx, s.pool, scanID, `with block as (update sequence set next = next + $2 where name = 'id' returning next)
		insert into reserved (id, "user") select generate_series(next - $2, next - 1), $1 from block returning id`, user, n)
	return ids, failed(ctx, "reserving ids", err)
}

// Forget drops the changes older than a time, and the reserved ids that were never used, as the store itself does
// with those older than graph.KeepChanges and graph.KeepReserved.
func (s *Store) Forget(ctx context.Context, before time.Time) error {
	for _, statement := range []string{forgetChanges, forgetReserved} {
		for more := true; more; {
			done, err := s.pool.Exec(ctx, statement, before.UnixMilli(), mostDropped)
			if err != nil {
				return failed(ctx, "forgetting what is old", err)
			}
			more = done.RowsAffected() == mostDropped
		}
	}
	return nil
}

// KV is the kv.Store in the same database.
func (s *Store) KV() kv.Store { return s.kv }

// Close waits for the batches being written. Closing twice is closing once.
func (s *Store) Close() error { return s.close() }

func (s *Store) closeAll() error {
	s.batches.close()
	s.kv.queue.close()
	return s.Reader.Close()
}

// now is the time as stores keep it.
func now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

var errClosed = graph.Errorf(graph.Unavailable, "the store is closed")

// failed says what was being done, and in a sentence what is not our fault: whoever asked has given up, or
// the database cannot be reached.
func failed(ctx context.Context, doing string, err error) error {
	var said *graph.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &said):
		return err
	case ctx.Err() != nil:
		return fmt.Errorf("%s: %w", doing, ctx.Err())
	case unreachable(err):
		return graph.Wrap(graph.Unavailable, err, "%s: the database does not answer now; try again later", doing)
	default:
		return fmt.Errorf("%s: %w", doing, err)
	}
}
