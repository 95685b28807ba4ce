package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/weft-graph/weft/graph"
)

// A writer turns groups of batches into transactions. There is one on each server; these keep them apart:
//
//   - Who only adds holds a shared lock, so that all servers add at once; who removes holds it alone. What was
//     there when a transaction looked is therefore there when it commits.
//   - What two add at once meets in a primary key: a value or type in directory, a ghost in ghost. The second
//     waits for the first, finds that it planned with an old picture and plans anew. Nobody waits in a circle,
//     for all insert into one table after the other, each in order of its key.
//   - A change gets its number from a row that is locked last of all and until the commit. So numbers have no
//     gap, and a reader who sees a number sees all before it.
type writer struct {
	pool   *pgxpool.Pool
	ids    block
	pruned time.Time // when old changes were last forgotten
}

// A write is a batch and what becomes of it.
type write struct {
	batch   *graph.Batch
	by      graph.Sender
	touched graph.Touched
	receipt graph.Receipt
}

// Locks. Their first number is "weft" and keeps them apart from what else is in the database.
const (
	lockMigration   = `select pg_advisory_lock(2003133044, 1)`
	unlockMigration = `select pg_advisory_unlock(2003133044, 1)`
	lockAdding      = `select pg_advisory_xact_lock_shared(2003133044, 2)`
	lockRemoving    = `select pg_advisory_xact_lock(2003133044, 2)`
	lockKV          = `select pg_advisory_xact_lock(2003133044, 3)`
)

// patience is how long a transaction may take: a connection that is cut without a word must not hold up
// the writer for ever.
const patience = time.Minute

// tries is how often a group that other servers crossed is planned with others at work. Then it is alone.
const tries = 5

func (w *write) size() int {
	b := w.batch
	return len(b.Concepts) + len(b.Connections) + len(b.RemoveConcepts) + len(b.RemoveConnections)
}

// alone says that a batch removes something.
func (w *write) alone() bool { return len(w.batch.RemoveConcepts)+len(w.batch.RemoveConnections) > 0 }

// commit writes a group in one transaction. When that fails for a reason that may lie in one of the batches,
// each is tried by itself.
func (w *writer) commit(group []*request[*write]) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var err error
	for try := range tries + 1 {
		if err = w.attempt(ctx, group, try == tries); !crossed(err) {
			break
		}
	}
	if err == nil {
		return
	}
	err = failed(ctx, "writing", err)
	if len(group) > 1 && graph.KindOf(err) == graph.Internal {
		for _, r := range group {
			w.commit([]*request[*write]{r})
		}
		return
	}
	for _, r := range group {
		r.err = err
	}
}

func (w *writer) attempt(ctx context.Context, group []*request[*write], alone bool) error {
	return w.pool.AcquireFunc(ctx, func(conn *pgxpool.Conn) error {
		if err := w.refill(ctx, conn.Conn(), group); err != nil {
			return err
		}
		t := &transaction{conn: conn.Conn(), plan: newPlan(&w.ids), group: group, lock: lockAdding}
		if alone || group[0].work.alone() {
			t.lock = lockRemoving
		}
		if time.Since(w.pruned) > time.Hour {
			w.pruned, t.prune = time.Now(), true
		}
		err := t.run(ctx)
		if t.more {
			w.pruned = time.Time{}
		}
		if err != nil {
			_, _ = conn.Exec(ctx, "rollback") // what is not undone here is when the connection ends
		}
		return err
	})
}

// A transaction writes a group.
type transaction struct {
	*plan
	conn  *pgx.Conn
	group []*request[*write]
	lock  string
	prune bool
	more  bool // there is more to forget than one commit may
}

func (t *transaction) run(ctx context.Context) error {
	if err := t.load(ctx); err != nil {
		return err
	}
	for _, r := range t.group {
		r.err = t.write(r.work)
	}
	if err := t.save(ctx); err != nil {
		return err
	}
	if r := t.group[0]; r.err == nil && r.work.alone() {
		err := t.remove(ctx, r.work)
		var refused *graph.Error
		switch {
		case errors.As(err, &refused):
			r.err = err
			_, err := t.conn.Exec(ctx, "rollback")
			return err
		case err != nil:
			return err
		}
	}
	return t.finish(ctx)
}
