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

// Memory is a Store that is forgotten with the process. The zero value is empty and ready.
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
		if e, ok := m.alive(key, time.Now()); ok && !seen[key] {
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
	for _, key := range m.in(r) {
		if e, ok := m.alive(key, now); ok {
			found = append(found, e.clone())
		}
		if r.Limit > 0 && len(found) == r.Limit {
			break
		}
	}
	return found, ctx.Err()
}

// in returns the keys of a range in the range's order, without its limit.
func (m *Memory) in(r Range) []string {
	start, _ := slices.BinarySearch(m.keys, r.Prefix)
	end := start
	for end < len(m.keys) && strings.HasPrefix(m.keys[end], r.Prefix) {
		end++
	}
	keys := m.keys[start:end]
	if r.Descending {
		keys = slices.Clone(keys)
		slices.Reverse(keys)
	}
	if r.After == "" {
		return keys
	}
	beyond := slices.IndexFunc(keys, func(key string) bool { return r.Descending == (key < r.After) && key != r.After })
	if beyond < 0 {
		return nil
	}
	return keys[beyond:]
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
		before, there := m.entries[o.Key]
		undo = append(undo, func() { m.restore(o.Key, before, there) })
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
	before, there := m.alive(o.Key, now)
	if !Holds(o, before.Version, there) {
		return Conflicts(o)
	}
	switch o.Kind {
	case OpPut:
		m.put(Entry{Key: o.Key, Value: bytes.Clone(o.Value), Expires: o.Expires})
	case OpAdd:
		sum, err := Sum(o, before, there)
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

// Holds says whether an operation's expectation is met by an entry's version.
func Holds(o Op, version int64, there bool) bool {
	switch o.IfVersion {
	case Any:
		return true
	case Absent:
		return !there
	default:
		return there && version == o.IfVersion
	}
}

// Conflicts is the error of an operation whose expectation was not met.
func Conflicts(o Op) error {
	return graph.Errorf(graph.Conflict, "%q was changed by somebody else", graph.Clip(o.Key))
}

// Sum is what an Add makes of its entry, or the Conflict it ends in.
func Sum(o Op, before Entry, there bool) ([]byte, error) {
	n, err := strconv.ParseInt(string(before.Value), 10, 64)
	sum := n + o.Delta
	switch {
	case there && err != nil:
		return nil, graph.Errorf(graph.Conflict, "%q does not hold a number", graph.Clip(o.Key))
	case (sum < n) != (o.Delta < 0):
		return nil, graph.Errorf(graph.Conflict, "%q holds %d; with %d more it is too large", graph.Clip(o.Key), n, o.Delta)
	}
	return strconv.AppendInt(nil, sum, 10), nil
}

func (m *Memory) alive(key string, now time.Time) (Entry, bool) {
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
	if at, there := slices.BinarySearch(m.keys, e.Key); !there {
		m.keys = slices.Insert(m.keys, at, e.Key)
	}
	m.entries[e.Key] = e
}

func (m *Memory) drop(key string) {
	if at, there := slices.BinarySearch(m.keys, key); there {
		m.keys = slices.Delete(m.keys, at, at+1)
	}
	delete(m.entries, key)
}

func (m *Memory) restore(key string, before Entry, there bool) {
	if !there {
		m.drop(key)
		return
	}
	if at, in := slices.BinarySearch(m.keys, key); !in {
		m.keys = slices.Insert(m.keys, at, key)
	}
	m.entries[key] = before
}

func (e Entry) clone() Entry {
	e.Value = bytes.Clone(e.Value)
	return e
}
