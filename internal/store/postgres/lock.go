package postgres

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	// valueLocks is the class of the advisory locks of values. LockValues and tryLockValues must use the same class.
	valueLocks   = `2003133045`
	lockValues   = `select pg_advisory_lock(` + valueLocks + `, key) from (select unnest($1::int4[]) as key order by key) as sorted`
	unlockValues = `select pg_advisory_unlock_all()`
)

// newLockSlots returns the semaphore of LockValues. Half of the connections stay free for the writes of callers that hold locks.
func newLockSlots(pool *pgxpool.Pool) chan struct{} {
	return make(chan struct{}, max(pool.Stat().MaxConns()/2, 1))
}

// LockValues locks keys for all servers on this database until unlock is called. Callers cannot deadlock, because each caller locks
// its keys in ascending order. The locks occupy a connection until unlock is called.
func (s *Store) LockValues(ctx context.Context, keys []int32) (unlock func(), err error) {
	select {
	case s.lockSlots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	release := func() { <-s.lockSlots }
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		release()
		return nil, failed(ctx, "locking values", err)
	}
	unlock = func() {
		// A connection that cannot be unlocked is closed, which releases its locks.
		if _, err := conn.Exec(context.WithoutCancel(ctx), unlockValues); err != nil {
			_ = conn.Conn().Close(context.WithoutCancel(ctx))
		}
		conn.Release()
		release()
	}
	if _, err := conn.Exec(ctx, lockValues, keys); err != nil {
		unlock()
		return nil, failed(ctx, "locking values", err)
	}
	return unlock, nil
}
