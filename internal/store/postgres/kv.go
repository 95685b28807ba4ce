package postgres

import (
	"context"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/weft-graph/weft/internal/store/kv"
)

// A kvStore is a kv.Store in a database. Waiting commits share one transaction of 2 round trips. A lock serialises the
// transactions of several servers.
type kvStore struct {
	pool   *pgxpool.Pool
	queue  *queue[[]kv.Op]
	pruned atomic.Int64 // when expired entries were last deleted, in milliseconds since 1970
}

func newKV(pool *pgxpool.Pool) *kvStore {
	s := &kvStore{pool: pool}
	s.queue = newQueue(s.commit, func([]kv.Op) bool { return false }, func(ops []kv.Op) int { return len(ops) })
	return s
}

const entryColumns = `key, value, version, coalesce(expires, 0)`

// Get implements kv.Store.
func (s *kvStore) Get(ctx context.Context, keys ...string) ([]kv.Entry, error) {
	found, err := collect(ctx, s.pool, scanEntry, `select `+entryColumns+` from kv
		where key = any($1) and (expires is null or expires > $2)`, bytesOf(keys), time.Now().UnixMilli())
	if err != nil {
		return nil, failed(ctx, "reading entries", err)
	}
	byKey := map[string]kv.Entry{}
	for _, e := range found {
		byKey[e.Key] = e
	}
	ordered := []kv.Entry{}
	for _, key := range keys {
		if e, exists := byKey[key]; exists {
			ordered = append(ordered, e)
			delete(byKey, key)
		}
	}
	return ordered, nil
}

// List implements kv.Store.
func (s *kvStore) List(ctx context.Context, r kv.Range) ([]kv.Entry, error) {
	comparison, order := ">", "asc"
	if r.Descending {
		comparison, order = "<", "desc"
	}
	var after []byte
	if r.After != "" {
		after = []byte(r.After)
	}
	found, err := collect(ctx, s.pool, scanEntry, `select `+entryColumns+` from kv
		where key >= $1 and ($2::bytea is null or key < $2) and ($3::bytea is null or key `+comparison+` $3)
		and (expires is null or expires > $4) order by key `+order+` limit $5`,
		[]byte(r.Prefix), prefixEnd(r.Prefix), after, time.Now().UnixMilli(), limit(r.Limit))
	return found, failed(ctx, "listing entries", err)
}

// prefixEnd returns the first key after all keys that start with a prefix, or nil if none follows.
func prefixEnd(prefix string) []byte {
	next := []byte(prefix)
	for i, b := range slices.Backward(next) {
		if b < 0xff {
			next[i]++
			return next[:i+1]
		}
	}
	return nil
}

// Commit implements kv.Store.
func (s *kvStore) Commit(ctx context.Context, ops ...kv.Op) error {
	if err := kv.Check(ops); err != nil {
		return err
	}
	return s.queue.do(ctx, ops)
}

func (s *kvStore) commit(group []*request[[]kv.Op]) {
	ctx, cancel := context.WithTimeout(context.Background(), transactionTimeout)
	defer cancel()
	err := s.pool.AcquireFunc(ctx, func(conn *pgxpool.Conn) error {
		err := s.transact(ctx, conn.Conn(), group)
		if err != nil {
			_, _ = conn.Exec(ctx, "rollback") // if this fails, the connection is closed, and closing it undoes the transaction
		}
		return err
	})
	if err = failed(ctx, "writing entries", err); err != nil {
		for _, r := range group {
			r.err = err
		}
	}
}

// transact loads the entries that the group refers to, applies each commit to these entries in memory, and writes the changed
// entries. The lock prevents other servers from writing between the read and the write.
func (s *kvStore) transact(ctx context.Context, conn *pgx.Conn, group []*request[[]kv.Op]) error {
	p := &entryState{now: time.Now(), entries: map[string]kv.Entry{}, changed: map[string]bool{}}
	var keys []string
	for _, r := range group {
		for _, o := range r.work {
			keys = append(keys, o.Key)
		}
	}
	b := &pgx.Batch{}
	b.Queue("begin")
	b.Queue(lockKV)
	b.Queue(`select next from sequence where name = 'kv'`).QueryRow(func(row pgx.Row) error { return row.Scan(&p.version) })
	queueRows(b, func(rows pgx.Rows) error {
		var e kv.Entry
		err := scanEntry(rows, &e)
		p.entries[e.Key] = e
		return err
	}, `select `+entryColumns+` from kv where key = any($1)`, bytesOf(keys))
	if err := conn.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	for _, r := range group {
		r.err = p.apply(r.work)
	}
	b = &pgx.Batch{}
	p.queue(b)
	if at := p.now.UnixMilli(); at-s.pruned.Load() > time.Minute.Milliseconds() {
		s.pruned.Store(at)
		b.Queue(`delete from kv where key in (select key from kv where expires <= $1 limit $2)`, at, maxDeleted).Exec(func(done pgconn.CommandTag) error {
			if done.RowsAffected() == maxDeleted {
				s.pruned.Store(0) // not all are deleted
			}
			return nil
		})
	}
	b.Queue("commit")
	return conn.SendBatch(ctx, b).Close()
}

// maxDeleted is the maximum number of expired rows that one commit deletes, because other commits wait for it.
const maxDeleted = 1_000

// An entryState holds the entries of a transaction in their new state.
type entryState struct {
	now     time.Time
	version int64 // next version
	entries map[string]kv.Entry
	changed map[string]bool
}

// apply applies all operations of a commit, or none.
func (p *entryState) apply(ops []kv.Op) error {
	entries, changed := map[string]kv.Entry{}, maps.Clone(p.changed)
	for _, o := range ops {
		if e, exists := p.entries[o.Key]; exists {
			entries[o.Key] = e
		}
	}
	for _, o := range ops {
		if err := p.applyTo(entries, o); err != nil {
			return err
		}
		changed[o.Key] = changed[o.Key] || o.Kind != kv.OpExpect
	}
	for _, o := range ops {
		delete(p.entries, o.Key)
	}
	maps.Copy(p.entries, entries)
	p.changed = changed
	return nil
}

func (p *entryState) applyTo(entries map[string]kv.Entry, o kv.Op) error {
	before, exists := entries[o.Key]
	if exists && !before.Expires.IsZero() && !before.Expires.After(p.now) {
		before, exists = kv.Entry{}, false
	}
	if !kv.Holds(o, before.Version, exists) {
		return kv.ConflictError(o)
	}
	value := o.Value
	switch o.Kind {
	case kv.OpExpect:
		return nil
	case kv.OpDelete:
		delete(entries, o.Key)
		return nil
	case kv.OpPut:
	case kv.OpAdd:
		sum, err := kv.Sum(o, before, exists)
		if err != nil {
			return err
		}
		value = sum
	}
	entries[o.Key] = kv.Entry{Key: o.Key, Value: value, Version: p.version, Expires: o.Expires}
	p.version++
	return nil
}

// queue queues statements that write the changed entries.
func (p *entryState) queue(b *pgx.Batch) {
	var deleted, keys, values [][]byte
	var versions []int64
	var expires []*int64
	for key, changed := range p.changed {
		e, exists := p.entries[key]
		switch {
		case !changed:
		case !exists:
			deleted = append(deleted, []byte(key))
		default:
			keys, values = append(keys, []byte(key)), append(values, append([]byte{}, e.Value...))
			versions, expires = append(versions, e.Version), append(expires, expiry(e.Expires))
		}
	}
	if len(deleted) > 0 {
		b.Queue(`delete from kv where key = any($1)`, deleted)
	}
	if len(keys) > 0 {
		b.Queue(`insert into kv (key, value, version, expires) select * from unnest($1::bytea[], $2::bytea[], $3::bigint[], $4::bigint[])
			on conflict (key) do update set value = excluded.value, version = excluded.version, expires = excluded.expires`, keys, values, versions, expires)
		b.Queue(`update sequence set next = $1 where name = 'kv'`, p.version)
	}
}

func expiry(t time.Time) *int64 {
	if t.IsZero() {
		return nil
	}
	at := t.UnixMilli()
	return &at
}

func scanEntry(rows pgx.Rows, e *kv.Entry) error {
	var key []byte
	var expires int64
	err := rows.Scan(&key, &e.Value, &e.Version, &expires)
	e.Key = string(key)
	if expires != 0 {
		e.Expires = time.UnixMilli(expires).UTC()
	}
	return err
}

func bytesOf(keys []string) [][]byte {
	plain := make([][]byte, len(keys))
	for i, key := range keys {
		plain[i] = []byte(key)
	}
	return plain
}
