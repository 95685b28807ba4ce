package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
)

// A Store is a graph.Store in a database.
type Store struct {
	*Reader
	writer  *writer
	batches *queue[*write]
	kv      *kvStore
	close   func() error

	lockSlots chan struct{} // callers of LockValues that hold a connection
}

// Open opens the store in the database at a URL (postgres://user:password@host:port/database?…). It creates or migrates the
// store if needed.
func Open(ctx context.Context, url string) (*Store, error) {
	pool, err := connect(ctx, url)
	if err != nil {
		return nil, err
	}
	indexErr, err := migrate(ctx, pool)
	if err != nil {
		pool.Close()
		return nil, failed(ctx, "opening the store", err)
	}
	w := &writer{pool: pool}
	s := &Store{
		Reader:  newReader(pool),
		writer:  w,
		batches: newQueue(w.commit, (*write).isExclusive, (*write).size),
		kv:      newKV(pool),

		lockSlots: newLockSlots(pool),
	}
	s.indexErr = indexErr
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
	return w.outcome.Receipt, nil
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

// DeleteBefore deletes changes and unused reservations made before a time. Commits also delete changes older than
// graph.ChangeRetention and unused reservations older than graph.ReservationRetention: once an hour, and then with each
// commit until none remain, up to maxDeleted at a time.
func (s *Store) DeleteBefore(ctx context.Context, before time.Time) error {
	for _, statement := range []string{deleteOldChanges, deleteOldReservations} {
		for hasMore := true; hasMore; {
			done, err := s.pool.Exec(ctx, statement, before.UnixMilli(), maxDeleted)
			if err != nil {
				return failed(ctx, "deleting old changes and reservations", err)
			}
			hasMore = done.RowsAffected() == maxDeleted
		}
	}
	return nil
}

// KV implements kv.Keeper.
func (s *Store) KV() kv.Store { return s.kv }

// Close waits for the batches being written. Further calls return the result of the first.
func (s *Store) Close() error { return s.close() }

func (s *Store) closeAll() error {
	s.batches.close()
	s.kv.queue.close()
	return s.Reader.Close()
}

// now returns the time in UTC and whole milliseconds.
func now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

var errClosed = graph.Errorf(graph.Unavailable, "the store is closed")

// failed wraps an error with the name of the operation. It returns a graph.Error unchanged. If ctx ended, it wraps the error of
// ctx instead; if the database cannot be reached, the error is Unavailable.
func failed(ctx context.Context, operation string, err error) error {
	var graphError *graph.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &graphError):
		return err
	case ctx.Err() != nil:
		return fmt.Errorf("%s: %w", operation, ctx.Err())
	case isUnreachable(err):
		return graph.Wrap(graph.Unavailable, err, "%s: the database does not respond now; try again later", operation)
	default:
		return fmt.Errorf("%s: %w", operation, err)
	}
}
