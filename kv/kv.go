// Package kv keeps what is not part of the graph and must outlive the process all the same: accounts, keys,
// queued mail, counters. Small values stand under text keys in order of their bytes; several are written
// together or not at all.
//
// Every store of a graph has one beside it, in the same database and the same backup. Package kvtest states
// these promises as tests.
package kv

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/weft-graph/weft/graph"
)

// A Store keeps entries. It is safe for use by many goroutines, and by many processes where the database is.
type Store interface {
	// Get returns the entries under keys, each once, in the order first asked for; absent and expired ones
	// are left out.
	Get(ctx context.Context, keys ...string) ([]Entry, error)

	// List returns a part of the entries in order of key.
	List(ctx context.Context, r Range) ([]Entry, error)

	// Commit applies all operations, in order, or none of them. When it returns without an error they are
	// durable. When ctx ends first, or the database does not answer (Unavailable), they may have been applied or
	// not. A Conflict means that an expectation of one of them did not hold: read again, decide again.
	// An Invalid means an operation that no store could apply; see Check.
	Commit(ctx context.Context, ops ...Op) error
}

// An Entry is a value under a key.
type Entry struct {
	Key   string
	Value []byte
	// Version differs each time the entry is written, also after a removal.
	Version int64
	Expires time.Time // zero means never; whole milliseconds, UTC
}

// A Range is a part of the entries in order of key.
type Range struct {
	Prefix     string
	After      string // only keys strictly beyond this one, in the list's order; "" means from the start
	Descending bool
	Limit      int // 0 means no limit
}

// An Op is one operation of a commit. Make it with Put, Delete, Expect or Add.
type Op struct {
	Kind    OpKind
	Key     string
	Value   []byte
	Expires time.Time
	Delta   int64
	// IfVersion is the version the entry must have, Absent, or Any.
	IfVersion int64
}

// An OpKind says what an operation does.
type OpKind int

// The kinds of operation.
const (
	OpPut OpKind = iota
	OpDelete
	OpExpect // writes nothing, only expects
	OpAdd
)

// What IfVersion may say besides a version, which is positive.
const (
	Any    int64 = 0
	Absent int64 = -1 // no entry, or an expired one
)

// Put writes a value.
func Put(key string, value []byte) Op { return Op{Kind: OpPut, Key: key, Value: value} }

// Delete removes an entry; one that is not there is no error.
func Delete(key string) Op { return Op{Kind: OpDelete, Key: key} }

// Expect makes the commit depend on an entry's version, or on its being Absent.
func Expect(key string, version int64) Op { return Op{Kind: OpExpect, Key: key, IfVersion: version} }

// Add adds to a number kept as decimal text, which starts at 0. It waits for nobody and never conflicts, but
// for two things that are a Conflict: an entry that is not a number, and a sum that 64 bits do not hold.
func Add(key string, delta int64) Op { return Op{Kind: OpAdd, Key: key, Delta: delta} }

// Until makes what is written expire. An expired entry is as good as removed; the store drops it when it
// gets round to it.
func (o Op) Until(t time.Time) Op {
	o.Expires = t.UTC().Truncate(time.Millisecond)
	return o
}

// If makes the operation depend on the version of the entry it replaces, or on there being none: Absent.
func (o Op) If(version int64) Op {
	o.IfVersion = version
	return o
}

// Limits on what one entry and one commit may hold.
const (
	MaxKey   = 512     // bytes
	MaxValue = 1 << 20 // bytes
	MaxOps   = 10_000
)

// Check returns an Invalid error for a commit that no store could apply: too many operations, a key that is
// empty, too long or not text (see graph.CheckText), a value that is too long. Stores call it first.
func Check(ops []Op) error {
	if len(ops) > MaxOps {
		return graph.Errorf(graph.Invalid, "a commit of %d operations; the most is %d", len(ops), MaxOps)
	}
	for _, o := range ops {
		switch {
		case o.Key == "" || len(o.Key) > MaxKey || !utf8.ValidString(o.Key) || strings.ContainsRune(o.Key, 0):
			return graph.Errorf(graph.Invalid, "%q is no key: it needs 1 to %d bytes of text", graph.Clip(o.Key), MaxKey)
		case len(o.Value) > MaxValue:
			return graph.Errorf(graph.Invalid, "the value of %q is %d bytes long; the most is %d", graph.Clip(o.Key), len(o.Value), MaxValue)
		case o.IfVersion < Absent || o.Kind < OpPut || o.Kind > OpAdd:
			return graph.Errorf(graph.Invalid, "the operation on %q makes no sense", graph.Clip(o.Key))
		}
	}
	return nil
}

// Clear removes all entries whose key begins with a prefix, a few at a time.
func Clear(ctx context.Context, store Store, prefix string) error {
	const some = 32 // values may be large
	for {
		found, err := store.List(ctx, Range{Prefix: prefix, Limit: some})
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

// A Keeper is a store of a graph that has a Store beside it.
type Keeper interface{ KV() Store }

// In finds the Store beside a store of a graph, also behind others that stand before it (see graph.Behind), or nil.
func In(store graph.Store) Store {
	if k, ok := graph.Behind[Keeper](store); ok {
		return k.KV()
	}
	return nil
}
