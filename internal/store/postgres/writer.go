package postgres

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/plan"
)

// A writer turns groups of batches into transactions. Each server has one. The package comment describes how the
// writers of several servers work together.
type writer struct {
	pool   *pgxpool.Pool
	ids    block
	pruned time.Time // when expired rows were last deleted
	quotas atomic.Pointer[graph.Quotas]
}

// A write is a batch with its outcome.
type write struct {
	batch   *graph.Batch
	by      graph.Sender
	outcome *plan.Outcome
}

// Advisory locks. The first number distinguishes these locks from the locks of other programs. It is arbitrary and must not change,
// because servers of older versions use it, too.
const (
	lockMigration   = `select pg_advisory_lock(2003133044, 1)`
	unlockMigration = `select pg_advisory_unlock(2003133044, 1)`
	lockAdding      = `select pg_advisory_xact_lock_shared(2003133044, 2)`
	lockRemoving    = `select pg_advisory_xact_lock(2003133044, 2)`
	lockKV          = `select pg_advisory_xact_lock(2003133044, 3)`
)

// transactionTimeout limits the duration of a transaction, so that a silently cut connection does not block the writer.
const transactionTimeout = time.Minute

// maxSharedAttempts is how often a group is planned while other servers may also add records. After that, the group
// takes the exclusive lock.
const maxSharedAttempts = 5

func (w *write) size() int {
	b := w.batch
	return len(b.Concepts) + len(b.Connections) + len(b.RemoveConcepts) + len(b.RemoveConnections)
}

// isExclusive reports whether a batch removes records or has the condition Unchanged. While such a batch is written, no server writes
// another batch.
func (w *write) isExclusive() bool {
	b := w.batch
	return len(b.RemoveConcepts)+len(b.RemoveConnections) > 0 || b.Unchanged != nil
}

// commit writes a group in one transaction. If the transaction fails although the database can be reached, possibly because of a
// single batch, commit writes each batch in a transaction of its own.
func (w *writer) commit(group []*request[*write]) {
	ctx, cancel := context.WithTimeout(context.Background(), transactionTimeout)
	defer cancel()
	var err error
	for attempt := range maxSharedAttempts + 1 {
		if err = w.attempt(ctx, group, attempt == maxSharedAttempts); !isCrossed(err) {
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

func (w *writer) attempt(ctx context.Context, group []*request[*write], exclusive bool) error {
	return w.pool.AcquireFunc(ctx, func(conn *pgxpool.Conn) error {
		if err := w.refill(ctx, conn.Conn(), group); err != nil {
			return err
		}
		t := newTransaction(conn.Conn(), &w.ids, group)
		if q := w.quotas.Load(); q != nil {
			t.quotas = *q
		}
		if exclusive || group[0].work.isExclusive() {
			t.lock = lockRemoving
		}
		if time.Since(w.pruned) > time.Hour {
			w.pruned, t.prune = time.Now(), true
		}
		err := t.run(ctx)
		if t.hasMoreExpired {
			w.pruned = time.Time{}
		}
		if err != nil {
			_, _ = conn.Exec(ctx, "rollback") // if this fails, the connection is closed, and closing it undoes the transaction
		}
		return err
	})
}

// A transaction writes a group. It loads all records to which the batches refer into the plan. After that, the plan needs
// only ids from the transaction.
type transaction struct {
	plan    *plan.Plan
	ids     *block
	senders map[graph.Sender]graph.ID // ids of their rows
	tallies map[tally]int64           // differences
	quotas  graph.Quotas
	refused map[*write]bool          // their condition graph.Absent does not hold
	owned   map[graph.ID]graph.Usage // by senders with a quota: the stored usage and the additions of the batches planned so far

	conn  *pgx.Conn
	group []*request[*write]
	lock  string
	prune bool // also delete expired rows

	hasMoreExpired bool // one commit could not delete all expired rows
}

func newTransaction(conn *pgx.Conn, ids *block, group []*request[*write]) *transaction {
	t := &transaction{
		ids: ids, senders: map[graph.Sender]graph.ID{}, tallies: map[tally]int64{}, owned: map[graph.ID]graph.Usage{},
		refused: map[*write]bool{},
		conn:    conn, group: group, lock: lockAdding,
	}
	t.plan = plan.New(t, now(), map[string]graph.Concept{})
	return t
}

// NextID implements plan.Database.
func (t *transaction) NextID() (graph.ID, error) { return t.ids.takeID() }

// Find implements plan.Database. All relevant concepts in the directory were loaded before.
func (t *transaction) Find(plan.DirectoryKey) (graph.Concept, bool, error) {
	return graph.Concept{}, false, nil
}

// FindOrEnter implements plan.Database. If another server enters an equal concept first, save fails with errCrossed.
func (t *transaction) FindOrEnter(_ plan.DirectoryKey, c graph.Concept) (_ graph.Concept, entered bool, err error) {
	if c.ID == 0 {
		c.ID, err = t.ids.takeID()
	}
	return c, true, err
}

func (t *transaction) run(ctx context.Context) error {
	if err := t.load(ctx); err != nil {
		return err
	}
	for _, r := range t.group {
		r.err = t.planBatch(r.work)
	}
	if err := t.save(ctx); err != nil {
		return err
	}
	if r := t.group[0]; r.err == nil && r.work.isExclusive() {
		err := t.plan.CheckUnchanged(r.work.batch, func(after graph.Seq, limit int) ([]graph.Change, bool, error) {
			return t.changesAfter(ctx, after, limit)
		})
		if err == nil {
			err = t.plan.Remove(r.work.batch, r.work.outcome, remover{t, ctx})
		}
		if err == nil {
			err = t.requireQuota()
		}
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

// changesAfter returns the changes after a number. If some of them were deleted, isComplete is false. The transaction
// has the exclusive lock, so no other transaction can commit a change at the same time.
func (t *transaction) changesAfter(ctx context.Context, after graph.Seq, limit int) (found []graph.Change, isComplete bool, err error) {
	var last graph.Seq
	if err := t.conn.QueryRow(ctx, `select next - 1 from sequence where name = 'change'`).Scan(&last); err != nil {
		return nil, false, err
	}
	if after >= last {
		return nil, after == last, nil
	}
	found, err = collect(ctx, t.conn, scanChange, `select seq, at, touched from change where seq > $1 order by seq limit $2`, after, limit)
	return found, len(found) > 0 && found[0].Seq == after+1, err
}
