package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/weft-graph/weft/graph"
)

// A writer is the one goroutine that writes. It takes whatever waits and commits it together, so that
// many small batches share the wait for the disk.
type writer struct {
	db   *sql.DB
	conn *sql.Conn
	do   writeStatements

	queue   chan *request
	closing chan struct{}
	closed  chan struct{}

	known
	sizes  sizes     // what the transaction changes them by
	pruned time.Time // when old changes were last forgotten

	behind bool          // there may be values that are not indexed
	pause  time.Duration // before they are
}

// known is what the writer knows of the store without asking. When a batch is undone, so is this.
type known struct {
	ids     block
	seq     graph.Seq                // the last number given away
	version int64                    // of the entry in kv that was written last
	indexed graph.ID                 // values up to here are
	types   map[string]graph.Concept // by name
	senders map[graph.Sender]int64
}

// A block is ids taken from the sequence and not yet given away.
type block struct{ next, end graph.ID }

// A request is work that waits for a transaction: nearly always a batch.
type request struct {
	ctx  context.Context
	size int // in records
	work func() error
	err  error
	done chan struct{}
}

// A group is committed together: at most so many batches, and records if they are large.
const (
	groupBatches = 256
	groupRecords = 20_000
)

var errClosed = graph.Errorf(graph.Unavailable, "the store is closed")

func openWriter(ctx context.Context, dir string) (*writer, error) {
	db, err := open(filepath.Join(dir, file), 1,
		"journal_mode(wal)", "synchronous(full)", "wal_autocheckpoint(20000)", fmt.Sprintf("cache_size(-%d)", writerPages))
	if err != nil {
		return nil, err
	}
	w := &writer{
		db: db, known: known{types: map[string]graph.Concept{}, senders: map[graph.Sender]int64{}},
		sizes: newSizes(), behind: true,
		queue: make(chan *request, groupBatches), closing: make(chan struct{}), closed: make(chan struct{}),
	}
	if err := w.begin(ctx); err != nil {
		switch {
		case foreign(err):
			err = notAStore(filepath.Join(dir, file))
		case unwritable(err):
			err = closed(dir)
		}
		return nil, errors.Join(err, db.Close())
	}
	go w.run() //nolint:contextcheck // a batch that was begun is finished, whoever gave up on it
	return w, nil
}

func (w *writer) begin(ctx context.Context) (err error) {
	if w.conn, err = w.db.Conn(ctx); err != nil {
		return fmt.Errorf("opening the store: %w", err)
	}
	if err := migrate(ctx, w.conn); err != nil {
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

// submit waits until the work is done and on disk, or ctx ends. Work that returns a graph.Error has left
// nothing behind. After any error it may still be running.
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
		return r.atLast()
	}
}

// atLast is the answer when the writer has stopped: it may have done this as its last.
func (r *request) atLast() error {
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
			if w.pause = quiet; w.ids.next-w.indexed > farBehind {
				w.catchUp()
			}
		case <-w.nap():
			w.pause = 0
			w.catchUp()
		case <-w.closing:
			return
		}
	}
}

// gather takes what waits behind the first request, without waiting itself.
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

// commit writes a group in one transaction and answers everybody in it.
func (w *writer) commit(group []*request) {
	before := w.known
	if err := w.writeAll(group); err != nil {
		_, _ = w.conn.ExecContext(context.Background(), "rollback")
		w.restore(before)
		w.sizes.forget()
		for _, r := range group {
			r.err = graph.Wrap(kindOf(err), err, "this could not be written")
		}
	}
	for _, r := range group {
		close(r.done)
	}
}

// kindOf tells a full or busy disk, which may pass, from what will not.
func kindOf(err error) graph.ErrorKind {
	const full = 13
	if code(err) == full || busy(err) {
		return graph.Unavailable
	}
	return graph.Internal
}

// writeAll returns an error only when the whole group has failed. What is refused undoes itself and keeps
// its error.
func (w *writer) writeAll(group []*request) error {
	if err := w.exec("begin immediate"); err != nil {
		return err
	}
	seq, version := w.seq, w.version
	for _, r := range group {
		if r.err = r.ctx.Err(); r.err != nil {
			continue
		}
		if err := w.serve(r); err != nil {
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

func (w *writer) serve(r *request) error {
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

// restore goes back to what was known before. Names learned since may be of types that are no more; all
// are forgotten, for they are soon learned again.
func (w *writer) restore(before known) {
	before.types, before.senders = map[string]graph.Concept{}, map[graph.Sender]int64{}
	w.known = before
}

func now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }
