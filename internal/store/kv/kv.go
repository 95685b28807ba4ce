// Package kv is a sorted key-value store for durable data that is not part of the graph: accounts, API keys, queued
// e-mails, counters. Every graph store comes with one, in the same database and the same backup; see In.
//
// An entry is a small value under a string key. Keys are sorted by their bytes, so that all entries of one kind are
// a range: "account/…", "mail/…". Several entries are written together or not at all.
//
// # Concurrency
//
// The store has neither locks nor interactive transactions. A caller reads entries, decides, and commits operations that
// require the versions that it has read:
//
//	found, _ := store.Get(ctx, "n")
//	err := store.Commit(ctx, kv.Put("n", changed).If(found[0].Version))
//	if graph.KindOf(err) == graph.Conflict { … } // the entry was changed since: read it again
//
// Add needs no version: the database itself adds to the number, so that counters never conflict.
//
// # Cost
//
// Get and List read from an index. The cost of List is proportional to its result plus the expired entries of the
// range that were not deleted yet. Commits that wait at the same time share a transaction.
//
// Package kvtest states the contract as tests. Memory implements it in memory; the packages sqlite and postgres
// implement it in their databases.
//
// Reasons for the design: docs/decisions/0008.
package kv

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/weft-graph/weft/graph"
)

// A Store is a set of entries, sorted by key. It is safe for concurrent use, and for use by several processes if the
// database is.
type Store interface {
	// Get returns the entries with the given keys, each once, in the order in which the keys first occur. Absent and
	// expired entries are left out; that is not an error.
	Get(ctx context.Context, keys ...string) ([]Entry, error)

	// List returns the entries of a range in order of key.
	List(ctx context.Context, r Range) ([]Entry, error)

	// Commit applies all operations in order, or none of them. An operation sees the effect of the operations before
	// it. When Commit returns nil, the operations are durable, and every later Get and List sees their effect.
	//
	// Errors, by kind:
	//
	//	Conflict     an entry does not have the expected version, or Add failed; nothing was applied
	//	Invalid      the operations fail Check; nothing was applied
	//	Unavailable  ctx ended or the database did not respond; the operations may have been applied
	Commit(ctx context.Context, ops ...Op) error
}

// An Entry is a value under a key.
type Entry struct {
	Key   string
	Value []byte
	// Version is positive. Every write gives the entry a new version, even if the entry was deleted in between.
	Version int64
	Expires time.Time // zero means never; whole milliseconds, UTC
}

// A Range selects entries by key.
type Range struct {
	Prefix     string
	After      string // only keys strictly after this one, in the list's order; "" means from the start. The key need not exist
	Descending bool
	Limit      int // 0 means no limit
}

// An Op is one operation of a commit. Put, Delete, Expect and Add return one.
type Op struct {
	Kind    OpKind
	Key     string
	Value   []byte
	Expires time.Time
	Delta   int64
	// IfVersion is the version that the entry must have, Absent, or Any.
	IfVersion int64
}

// An OpKind is the kind of an operation.
type OpKind int

// The kinds of operation.
const (
	OpPut OpKind = iota
	OpDelete
	OpExpect // only checks the version
	OpAdd
)

// Values of IfVersion that have a special meaning.
const (
	Any    int64 = 0
	Absent int64 = -1 // no entry, or an expired entry
)

// Put returns an operation that writes a value.
func Put(key string, value []byte) Op { return Op{Kind: OpPut, Key: key, Value: value} }

// Delete returns an operation that deletes an entry. It succeeds if the entry is absent.
func Delete(key string) Op { return Op{Kind: OpDelete, Key: key} }

// Expect returns an operation that fails with a Conflict unless an entry has a version, or is Absent.
func Expect(key string, version int64) Op { return Op{Kind: OpExpect, Key: key, IfVersion: version} }

// Add returns an operation that adds to a number, which is stored as decimal text and starts at 0. Concurrent additions
// do not conflict. The error is a Conflict if the entry is not a number, or the sum overflows 64 bits.
func Add(key string, delta int64) Op { return Op{Kind: OpAdd, Key: key, Delta: delta} }

// Until returns the operation with an expiry time for the entry that it writes. An expired entry counts as absent; the
// store deletes it later.
func (o Op) Until(t time.Time) Op {
	o.Expires = t.UTC().Truncate(time.Millisecond)
	return o
}

// If returns the operation with the version that the entry must have before the operation, or Absent.
func (o Op) If(version int64) Op {
	o.IfVersion = version
	return o
}

// Limits of one entry and one commit.
const (
	MaxKey   = 512     // bytes
	MaxValue = 1 << 20 // bytes
	MaxOps   = 10_000
)

// Check returns an Invalid error for operations that no store accepts: more than MaxOps operations, a key that is
// empty, too long, not UTF-8 or has a NUL, a value that is too long, or an unknown kind. Stores call it first.
func Check(ops []Op) error {
	if len(ops) > MaxOps {
		return graph.Errorf(graph.Invalid, "a commit of %d operations; the maximum is %d", len(ops), MaxOps)
	}
	for _, o := range ops {
		switch {
		case o.Key == "" || len(o.Key) > MaxKey || !utf8.ValidString(o.Key) || strings.ContainsRune(o.Key, 0):
			return graph.Errorf(graph.Invalid, "invalid key %q: it must be 1 to %d bytes of UTF-8 without NUL", graph.Clip(o.Key), MaxKey)
		case len(o.Value) > MaxValue:
			return graph.Errorf(graph.Invalid, "the value of %q is %d bytes long; the maximum is %d", graph.Clip(o.Key), len(o.Value), MaxValue)
		case o.IfVersion < Absent || o.Kind < OpPut || o.Kind > OpAdd:
			return graph.Errorf(graph.Invalid, "invalid operation on %q", graph.Clip(o.Key))
		}
	}
	return nil
}

// Clear deletes all entries whose key begins with a prefix, in several commits.
func Clear(ctx context.Context, store Store, prefix string) error {
	const perCommit = 32 // entries are read completely, and values may be large
	for {
		found, err := store.List(ctx, Range{Prefix: prefix, Limit: perCommit})
		if err != nil || len(found) == 0 {
			return err
		}
		var ops []Op
		for _, e := range found {
			ops = append(ops, Delete(e.Key))
		}
		if err := store.Commit(ctx, ops...); err != nil {
			return err
		}
	}
}

// A Keeper is a graph store that comes with a Store.
type Keeper interface{ KV() Store }

// In returns the Store of a graph store, or of a graph store that it wraps (see graph.As), or nil if neither has
// one.
func In(store graph.Store) Store {
	if k, ok := graph.As[Keeper](store); ok {
		return k.KV()
	}
	return nil
}
