package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"github.com/weft-graph/weft/internal/store/kv"
)

// KV implements kv.Keeper. Its commits are grouped with batches.
func (s *Store) KV() kv.Store { return entries{s} }

type entries struct{ *Store }

const (
	entryColumns = `key, value, version, expires`
	// The range of a prefix ends at prefix + afterAll: keys are UTF-8, which does not contain the byte 0xff.
	entriesIn = `select ` + entryColumns + ` from kv where key >= ?1 and key < ?2 and key <> ?3 and (expires is null or expires > ?4)`
	afterAll  = "\xff"
)

// Get implements kv.Store.
func (s entries) Get(ctx context.Context, keys ...string) ([]kv.Entry, error) {
	keysJSON, err := json.Marshal(keys)
	if err != nil {
		return nil, err
	}
	found, err := query(ctx, s.do.entries, scanEntry, string(keysJSON), time.Now().UnixMilli())
	return inOrder(found, keys, func(e kv.Entry) string { return e.Key }), failed(ctx, "reading entries", err)
}

// List implements kv.Store.
func (s entries) List(ctx context.Context, r kv.Range) ([]kv.Entry, error) {
	statement, low, high := s.do.entriesUp, max(r.Prefix, r.After), r.Prefix+afterAll
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
	return s.writer.submit(ctx, len(ops), func() error { return s.writer.apply(ops) }) //nolint:contextcheck // a request in a group is finished even if its caller stops waiting
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
	exists := len(found) > 0
	if exists {
		before = found[0]
	}
	if !kv.Holds(o, before.Version, exists) {
		return kv.ConflictError(o)
	}
	switch o.Kind {
	case kv.OpPut:
		return w.put(o, o.Value)
	case kv.OpAdd:
		sum, err := kv.Sum(o, before, exists)
		if err != nil {
			return err
		}
		return w.put(o, sum)
	case kv.OpDelete:
		_, err := w.do.deleteEntry.Exec(o.Key)
		return err
	default: // kv.OpExpect
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
		value = []byte{} // nil would be stored as null
	}
	_, err := w.do.putEntry.Exec(o.Key, value, w.version, expires)
	return err
}

// maxDeleted is the maximum number of expired entries that one commit deletes.
const maxDeleted = 1_000

func (w *writer) deleteExpired(now time.Time) (int64, error) {
	deleted, err := w.do.deleteExpired.Exec(now.UnixMilli(), maxDeleted)
	if err != nil {
		return 0, err
	}
	return deleted.RowsAffected()
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
