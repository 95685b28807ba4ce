package sqlite

import (
	"context"
	"database/sql"
	"time"

	"github.com/weft-graph/weft/graph"
)

// addChange stores the change of a batch under the next number. It returns 0 if the batch touched nothing.
func (w *writer) addChange(touched *graph.ChangeBuilder, at time.Time) (graph.Seq, error) {
	if touched.IsEmpty() {
		return 0, nil
	}
	w.seq++
	c := touched.Build(w.seq, at)
	_, err := w.do.addChange.Exec(c.Seq, c.At.UnixMilli(), c.Pack())
	return c.Seq, err
}

// changesAfter returns changes as the writer's transaction sees them. If some changes after that number were
// deleted, isComplete is false.
func (w *writer) changesAfter(after graph.Seq, maxChanges int) (found []graph.Change, isComplete bool, err error) {
	if after >= w.seq {
		return nil, after == w.seq, nil
	}
	rows, err := w.conn.QueryContext(context.Background(), `select seq, at, touched from change where seq > ? order by seq limit ?`, after, maxChanges)
	if err != nil {
		return nil, false, err
	}
	defer rows.Close()
	for rows.Next() {
		var c graph.Change
		if err := scanChange(rows, &c); err != nil {
			return nil, false, err
		}
		found = append(found, c)
	}
	return found, len(found) > 0 && found[0].Seq == after+1, rows.Err()
}

// prune deletes expired changes, reservations and kv entries: once an hour, and again with the next commit while expired kv
// entries remain.
func (w *writer) prune() error {
	const interval = time.Hour
	if time.Since(w.pruned) < interval {
		return nil
	}
	now := time.Now()
	if err := w.deleteOlder(now.Add(-graph.ChangeRetention), now.Add(-graph.ReservationRetention)); err != nil {
		return err
	}
	deleted, err := w.deleteExpired(now)
	if deleted < maxDeleted {
		w.pruned = now
	}
	return err
}

// deleteOlder deletes changes that are older than one time, and unused reservations that are older than another.
func (w *writer) deleteOlder(changes, reserved time.Time) error {
	if _, err := w.do.deleteChanges.Exec(changes.UnixMilli()); err != nil {
		return err
	}
	_, err := w.do.deleteReserved.Exec(reserved.UnixMilli())
	return err
}

// DeleteBefore deletes changes and unused reservations made before a time. Once an hour, the writer itself deletes changes
// older than graph.ChangeRetention and unused reservations older than graph.ReservationRetention.
func (s *Store) DeleteBefore(ctx context.Context, before time.Time) error {
	return s.writer.submit(ctx, 1, func() error { return s.writer.deleteOlder(before, before) })
}

func scanChange(rows *sql.Rows, c *graph.Change) error {
	var at int64
	var packed sql.RawBytes
	if err := rows.Scan(&c.Seq, &at, &packed); err != nil {
		return err
	}
	c.At = time.UnixMilli(at).UTC()
	return c.Unpack(packed)
}
