package kv

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/weft-graph/weft/graph"
)

// Memory is a Store in memory. The zero value is empty and ready to use.
type Memory struct {
	mu      sync.RWMutex
	entries map[string]Entry
	keys    []string // in order
	version int64
}

// Get implements Store.
func (m *Memory) Get(ctx context.Context, keys ...string) ([]Entry, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	var found []Entry
	seen := map[string]bool{}
	for _, key := range keys {
		if e, ok := m.get(key, time.Now()); ok && !seen[key] {
			seen[key] = true
			found = append(found, e.clone())
		}
	}
	return found, ctx.Err()
}

// List implements Store.
func (m *Memory) List(ctx context.Context, r Range) ([]Entry, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	var found []Entry
	now := time.Now()
	for _, key := range m.keysIn(r) {
		if e, ok := m.get(key, now); ok {
			found = append(found, e.clone())
		}
		if r.Limit > 0 && len(found) == r.Limit {
			break
		}
	}
	return found, ctx.Err()
}

// keysIn returns the keys of a range in the order of the range, ignoring its limit.
func (m *Memory) keysIn(r Range) []string {
	first, _ := slices.BinarySearch(m.keys, r.Prefix)
	end := first
	for end < len(m.keys) && strings.HasPrefix(m.keys[end], r.Prefix) {
		end++
	}
	keys := m.keys[first:end]
	if r.Descending {
		keys = slices.Clone(keys)
		slices.Reverse(keys)
	}
	if r.After == "" {
		return keys
	}
	start := slices.IndexFunc(keys, func(key string) bool { return r.Descending == (key < r.After) && key != r.After })
	if start < 0 {
		return nil
	}
	return keys[start:]
}

// Commit implements Store.
func (m *Memory) Commit(ctx context.Context, ops ...Op) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := Check(ops); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var undo []func()
	for _, o := range ops {
		before, exists := m.entries[o.Key]
		undo = append(undo, func() { m.restore(o.Key, before, exists) })
		if err := m.apply(o, time.Now()); err != nil {
			for _, f := range slices.Backward(undo) {
				f()
			}
			return err
		}
	}
	return nil
}

func (m *Memory) apply(o Op, now time.Time) error {
	before, exists := m.get(o.Key, now)
	if !Holds(o, before.Version, exists) {
		return ConflictError(o)
	}
	switch o.Kind {
	case OpPut:
		m.put(Entry{Key: o.Key, Value: bytes.Clone(o.Value), Expires: o.Expires})
	case OpAdd:
		sum, err := Sum(o, before, exists)
		if err != nil {
			return err
		}
		m.put(Entry{Key: o.Key, Value: sum, Expires: o.Expires})
	case OpDelete:
		m.drop(o.Key)
	case OpExpect:
	}
	return nil
}

// Holds reports whether an entry has the version that an operation requires; exists is false for an absent entry.
func Holds(o Op, version int64, exists bool) bool {
	switch o.IfVersion {
	case Any:
		return true
	case Absent:
		return !exists
	default:
		return exists && version == o.IfVersion
	}
}

// ConflictError returns the error of an operation whose entry does not have the expected version.
func ConflictError(o Op) error {
	return graph.Errorf(graph.Conflict, "%q was changed by another writer", graph.Clip(o.Key))
}

// Sum returns the new value of the entry of an Add, or a Conflict error.
func Sum(o Op, before Entry, exists bool) ([]byte, error) {
	n, err := strconv.ParseInt(string(before.Value), 10, 64)
	sum := n + o.Delta
	switch {
	case exists && err != nil:
		return nil, graph.Errorf(graph.Conflict, "%q does not hold a number", graph.Clip(o.Key))
	case (sum < n) != (o.Delta < 0):
		return nil, graph.Errorf(graph.Conflict, "%q holds %d; with %d more it overflows 64 bits", graph.Clip(o.Key), n, o.Delta)
	}
	return strconv.AppendInt(nil, sum, 10), nil
}

// get returns an entry unless it is expired.
func (m *Memory) get(key string, now time.Time) (Entry, bool) {
	e, ok := m.entries[key]
	if !ok || !e.Expires.IsZero() && !e.Expires.After(now) {
		return Entry{}, false
	}
	return e, true
}

func (m *Memory) put(e Entry) {
	m.version++
	e.Version = m.version
	if m.entries == nil {
		m.entries = map[string]Entry{}
	}
	if at, exists := slices.BinarySearch(m.keys, e.Key); !exists {
		m.keys = slices.Insert(m.keys, at, e.Key)
	}
	m.entries[e.Key] = e
}

func (m *Memory) drop(key string) {
	if at, exists := slices.BinarySearch(m.keys, key); exists {
		m.keys = slices.Delete(m.keys, at, at+1)
	}
	delete(m.entries, key)
}

func (m *Memory) restore(key string, before Entry, exists bool) {
	if !exists {
		m.drop(key)
		return
	}
	if at, listed := slices.BinarySearch(m.keys, key); !listed {
		m.keys = slices.Insert(m.keys, at, key)
	}
	m.entries[key] = before
}

func (e Entry) clone() Entry {
	e.Value = bytes.Clone(e.Value)
	return e
}
