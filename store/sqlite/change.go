package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
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
	_, err := in.do.addChange.Exec(c.Seq, c.At.UnixMilli(), packChange(c))
	return c.Seq, err
}

// prune forgets what is older than graph.KeepChanges, now and then.
func (w *writer) prune() error {
	const often = time.Hour
	if time.Since(w.pruned) < often {
		return nil
	}
	w.pruned = time.Now()
	_, err := w.do.forgetChanges.Exec(w.pruned.Add(-graph.KeepChanges).UnixMilli())
	return err
}

// Forget drops the changes older than a time, as the store itself does with those older than
// graph.KeepChanges.
func (s *Store) Forget(ctx context.Context, before time.Time) error {
	_, err := s.writer.submit(&request{ctx: ctx, forget: before, done: make(chan struct{})})
	return err
}

// packChange writes three lists of ascending ids as their lengths and steps. Wide is a first byte of 1.
func packChange(c graph.Change) []byte {
	packed := make([]byte, 1, 1+2*(3+len(c.Concepts)+len(c.Connections)+len(c.Types)))
	if c.Wide {
		packed[0] = 1
	}
	for _, ids := range [][]graph.ID{c.Concepts, c.Connections, c.Types} {
		packed = binary.AppendUvarint(packed, uint64(len(ids)))
		var last graph.ID
		for _, id := range ids {
			packed = binary.AppendUvarint(packed, uint64(id-last))
			last = id
		}
	}
	return packed
}

func unpackChange(c *graph.Change, packed []byte) error {
	from := bytes.NewReader(packed)
	wide, err := from.ReadByte()
	c.Wide = wide == 1
	for _, ids := range []*[]graph.ID{&c.Concepts, &c.Connections, &c.Types} {
		if err == nil {
			*ids, err = unpackIDs(from)
		}
	}
	if err != nil {
		return fmt.Errorf("change %d is damaged: %w", c.Seq, err)
	}
	return nil
}

func unpackIDs(from *bytes.Reader) ([]graph.ID, error) {
	n, err := binary.ReadUvarint(from)
	if err != nil || n > uint64(from.Len()) {
		return nil, fmt.Errorf("a list of %d ids in %d bytes: %w", n, from.Len(), err)
	}
	ids := make([]graph.ID, n)
	var last graph.ID
	for i := range ids {
		step, err := binary.ReadUvarint(from)
		if err != nil {
			return nil, err
		}
		last += graph.ID(step)
		ids[i] = last
	}
	return ids, nil
}

func scanChange(rows *sql.Rows, c *graph.Change) error {
	var at int64
	var packed sql.RawBytes
	if err := rows.Scan(&c.Seq, &at, &packed); err != nil {
		return err
	}
	c.At = time.UnixMilli(at).UTC()
	return unpackChange(c, packed)
}
