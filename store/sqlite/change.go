package sqlite

import (
	"context"
	"database/sql"
	"time"

	"github.com/weft-graph/weft/graph"
)

// change numbers what the batch touched.
func (in *incoming) change() (graph.Seq, error) {
	if in.touched.Nothing() {
		return 0, nil
	}
	in.seq++
	c := in.touched.Change(in.seq, in.now)
	_, err := in.do.addChange.Exec(c.Seq, c.At.UnixMilli(), c.Pack())
	return c.Seq, err
}

// prune forgets what is older than graph.KeepChanges and graph.KeepReserved, and what has expired, now and then.
func (w *writer) prune() error {
	const often = time.Hour
	if time.Since(w.pruned) < often {
		return nil
	}
	now := time.Now()
	if err := w.forget(now.Add(-graph.KeepChanges), now.Add(-graph.KeepReserved)); err != nil {
		return err
	}
	dropped, err := w.dropExpired(now)
	if dropped < mostDropped {
		w.pruned = now
	}
	return err
}

func (w *writer) forget(changes, reserved time.Time) error {
	if _, err := w.do.forgetChanges.Exec(changes.UnixMilli()); err != nil {
		return err
	}
	_, err := w.do.forgetReserved.Exec(reserved.UnixMilli())
	return err
}

// Forget drops the changes older than a time, and the reserved ids that were never used, as the store itself does
// with those older than graph.KeepChanges and graph.KeepReserved.
func (s *Store) Forget(ctx context.Context, before time.Time) error {
	return s.writer.submit(ctx, 1, func() error { return s.writer.forget(before, before) })
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
