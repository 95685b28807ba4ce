package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/weft-graph/weft/graph"
)

// A writer runs the goroutine that writes. It commits all waiting requests together, so that many small batches share
// one wait for the disk. See the package comment for its states.
type writer struct {
	db   *sql.DB
	conn *sql.Conn
	do   writeStatements

	queue   chan *request
	closing chan struct{}
	closed  chan struct{}

	known
	sizes  sizes // differences that the transaction adds to the tables size, hidden and usage
	quotas atomic.Pointer[graph.Quotas]
	pruned time.Time // when expired rows were last deleted

	hasUnindexed bool          // some values may not be indexed
	indexDelay   time.Duration // how long the writer waits for a request before it indexes values
	trigrams     trigramFilter
}

// known caches the state of the database for the writer. It is restored when a request is rolled back.
type known struct {
	ids     block
	seq     graph.Seq                // sequence number of the last change
	version int64                    // version of the kv entry written last
	indexed graph.ID                 // values with ids up to this id are indexed, except the values in the table waiting
	types   map[string]graph.Concept // keyed by name
	senders map[graph.Sender]int64   // ids of their rows
}

// A block is a range of ids taken from the sequence: next is unused, and end is the first id after the block.
type block struct{ next, end graph.ID }

// A request is work for a transaction, usually a batch.
type request struct {
	ctx  context.Context
	size int // number of records
	work func() error
	err  error
	done chan struct{}
}

// Limits of a group, which is committed in one transaction. A group has at most groupBatches requests, and ends with the request with
// which it reaches groupRecords records.
const (
	groupBatches = 256
	groupRecords = 20_000
)

var errClosed = graph.Errorf(graph.Unavailable, "the store is closed")

func openWriter(ctx context.Context, dir string) (*writer, error) {
	db, err := open(filepath.Join(dir, file), 1,
		"journal_mode(wal)", "synchronous(full)", "wal_autocheckpoint(20000)", fmt.Sprintf("cache_size(-%d)", writerCacheKiB()))
	if err != nil {
		return nil, err
	}
	w := &writer{
		db: db, known: known{types: map[string]graph.Concept{}, senders: map[graph.Sender]int64{}},
		sizes: newSizes(), hasUnindexed: true,
		queue: make(chan *request, groupBatches), closing: make(chan struct{}), closed: make(chan struct{}),
	}
	if err := w.begin(ctx); err != nil {
		switch {
		case isForeign(err):
			err = errNotAStore(filepath.Join(dir, file))
		case isUnwritable(err):
			err = errUnwritable(dir)
		}
		return nil, errors.Join(err, db.Close())
	}
	go w.run() //nolint:contextcheck // a batch in a group is finished even if its caller stops waiting
	return w, nil
}

func (w *writer) begin(ctx context.Context) (err error) {
	if w.conn, err = w.db.Conn(ctx); err != nil {
		return fmt.Errorf("opening the store: %w", err)
	}
	if err := migrate(ctx, w.conn); err != nil {
		return err
	}
	if err := w.completeUsage(ctx); err != nil {
		return err
	}
	if err := w.do.prepare(ctx, w.conn); err != nil {
		return err
	}
	return w.readSequences(ctx)
}

func (w *writer) readSequences(ctx context.Context) error {
	err := w.conn.QueryRowContext(ctx, `select max(iif(name = 'change', next - 1, 0)), max(iif(name = 'kv', next - 1, 0)),
		(select upto from indexed) from sequence`).Scan(&w.seq, &w.version, &w.indexed)
	if err != nil {
		return fmt.Errorf("reading the last change: %w", err)
	}
	return nil
}

// submit passes work to the writer. It returns when the work is committed or ctx ends. If the error is a graph.Error of
// the work, the work was rolled back. If ctx ended, the work may still be committed.
func (w *writer) submit(ctx context.Context, size int, work func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r := &request{ctx: ctx, size: size, work: work, done: make(chan struct{})}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-w.closing:
		return errClosed
	case w.queue <- r:
	}
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
		return ctx.Err()
	case <-w.closed:
		return r.result()
	}
}

// result returns the result of a request after the writer has stopped. The writer may have completed the request before.
func (r *request) result() error {
	select {
	case <-r.done:
		return r.err
	default:
		return errClosed
	}
}

func (w *writer) close() error {
	close(w.closing)
	<-w.closed
	return errors.Join(w.do.close(), w.conn.Close(), w.db.Close())
}

func (w *writer) run() {
	defer close(w.closed)
	for {
		select {
		case r := <-w.queue:
			w.commit(w.gather(r))
			if w.indexDelay = idleDelay; w.ids.next-w.indexed > maxUnindexed {
				w.indexNext()
			}
		case <-w.indexTimer():
			w.indexDelay = 0
			w.indexNext()
		case <-w.closing:
			return
		}
	}
}

// gather returns the first request and the requests that already wait behind it.
func (w *writer) gather(first *request) []*request {
	group, records := []*request{first}, first.size
	for len(group) < groupBatches && records < groupRecords {
		select {
		case r := <-w.queue:
			group, records = append(group, r), records+r.size
		default:
			return group
		}
	}
	return group
}

func sizeOf(b *graph.Batch) int {
	return len(b.Concepts) + len(b.Connections) + len(b.RemoveConcepts) + len(b.RemoveConnections)
}

// commit writes a group in one transaction and completes its requests.
func (w *writer) commit(group []*request) {
	before := w.known
	if err := w.writeAll(group); err != nil {
		_, _ = w.conn.ExecContext(context.Background(), "rollback")
		w.restore(before)
		w.sizes.reset()
		for _, r := range group {
			r.err = graph.Wrap(kindOf(err), err, "the store could not write this")
		}
	}
	for _, r := range group {
		close(r.done)
	}
}

// kindOf returns Unavailable for a full disk or a busy file, which may be temporary, and Internal for other errors.
func kindOf(err error) graph.ErrorKind {
	const full = 13
	if resultCode(err) == full || isBusy(err) {
		return graph.Unavailable
	}
	return graph.Internal
}

// writeAll runs the work of a group in one transaction. It returns an error only if the whole group failed; the error of a
// refused request is stored in the request.
func (w *writer) writeAll(group []*request) error {
	if err := w.exec("begin immediate"); err != nil {
		return err
	}
	seq, version := w.seq, w.version
	for _, r := range group {
		if r.err = r.ctx.Err(); r.err != nil {
			continue
		}
		if err := w.runRequest(r); err != nil {
			return err
		}
	}
	if w.seq > seq {
		if _, err := w.do.setSeq.Exec(w.seq + 1); err != nil {
			return err
		}
	}
	if w.version > version {
		if _, err := w.do.setVersion.Exec(w.version + 1); err != nil {
			return err
		}
	}
	if err := w.sizes.write(&w.do); err != nil {
		return err
	}
	if err := w.prune(); err != nil {
		return err
	}
	return w.exec("commit")
}

// runRequest runs the work of a request in a savepoint. It returns an error only if the whole group has failed.
func (w *writer) runRequest(r *request) error {
	before := w.known
	if err := w.exec("savepoint request"); err != nil {
		return err
	}
	r.err = r.work()
	var refused *graph.Error
	switch {
	case r.err == nil:
	case errors.As(r.err, &refused):
		w.restore(before)
		if err := w.exec("rollback to request"); err != nil {
			return err
		}
	default:
		return r.err
	}
	return w.exec("release request")
}

func (w *writer) exec(statement string) error {
	_, err := w.conn.ExecContext(context.Background(), statement)
	return err
}

// restore resets the caches to an earlier state. It empties the maps of types and senders, because they may hold
// entries that were rolled back.
func (w *writer) restore(before known) {
	before.types, before.senders = map[string]graph.Concept{}, map[graph.Sender]int64{}
	w.known = before
}

func now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }
