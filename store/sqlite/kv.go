package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"github.com/weft-graph/weft/kv"
)

// KV implements kv.Keeper. Its commits share the wait for the disk with the batches.
func (s *Store) KV() kv.Store { return entries{s} }

type entries struct{ *Store }

const (
	entryColumns = `key, value, version, expires`
	// No key has the byte that ends the range of a prefix.
	entriesIn = `select ` + entryColumns + ` from kv where key >= ?1 and key < ?2 and key <> ?3 and (expires is null or expires > ?4)`
	beyondAll = "\xff"
)

// Get implements kv.Store.
func (s entries) Get(ctx context.Context, keys ...string) ([]kv.Entry, error) {
	asked, err := json.Marshal(keys)
	if err != nil {
		return nil, err
	}
	found, err := query(ctx, s.do.entries, scanEntry, string(asked), time.Now().UnixMilli())
	return inOrder(found, keys, func(e kv.Entry) string { return e.Key }), failed(ctx, "reading entries", err)
}

// List implements kv.Store.
func (s entries) List(ctx context.Context, r kv.Range) ([]kv.Entry, error) {
	statement, low, high := s.do.entriesUp, max(r.Prefix, r.After), r.Prefix+beyondAll
	if r.Descending {
		statement, low = s.do.entriesDown, r.Prefix
		high = min(high, cmp.Or(r.After, high))
	}
	found, err := query(ctx, statement, scanEntry, low, high, r.After, time.Now().UnixMilli(), limit(r.Limit))
	return found, failed(ctx, "listing entries", err)
}

// Commit implements kv.Store.
func (s entries) Commit(ctx context.Context, ops ...kv.Op) error {
	if err := kv.Check(ops); err != nil {
		return err
	}
	return s.writer.submit(ctx, len(ops), func() error { return s.writer.apply(ops) }) //nolint:contextcheck // what was begun is finished, whoever gave up on it
}

func (w *writer) apply(ops []kv.Op) error {
	now := time.Now().UnixMilli()
	for _, o := range ops {
		if err := w.applyOne(o, now); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) applyOne(o kv.Op, now int64) error {
	found, err := query(context.Background(), w.do.entry, scanEntry, o.Key, now)
	if err != nil {
		return err
	}
	var before kv.Entry
	there := len(found) > 0
	if there {
		before = found[0]
	}
	if !kv.Holds(o, before.Version, there) {
		return kv.Conflicts(o)
	}
	switch o.Kind {
	case kv.OpPut:
		return w.put(o, o.Value)
	case kv.OpAdd:
		sum, err := kv.Sum(o, before, there)
		if err != nil {
			return err
		}
		return w.put(o, sum)
	case kv.OpDelete:
		_, err := w.do.dropEntry.Exec(o.Key)
		return err
	default: // it only expects
		return nil
	}
}

func (w *writer) put(o kv.Op, value []byte) error {
	w.version++
	var expires any
	if !o.Expires.IsZero() {
		expires = o.Expires.UnixMilli()
	}
	if value == nil {
		value = []byte{} // or it would be null
	}
	_, err := w.do.putEntry.Exec(o.Key, value, w.version, expires)
	return err
}

// mostDropped bounds what one commit drops of what has expired.
const mostDropped = 1_000

func (w *writer) dropExpired(now time.Time) (int64, error) {
	dropped, err := w.do.dropExpired.Exec(now.UnixMilli(), mostDropped)
	if err != nil {
		return 0, err
	}
	return dropped.RowsAffected()
}

func scanEntry(rows *sql.Rows, e *kv.Entry) error {
	var expires sql.NullInt64
	if err := rows.Scan(&e.Key, &e.Value, &e.Version, &expires); err != nil {
		return err
	}
	if expires.Valid {
		e.Expires = time.UnixMilli(expires.Int64).UTC()
	}
	return nil
}
