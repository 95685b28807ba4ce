// Package kvtest states the contract of kv.Store as tests, and runs random commits against kv.Memory as the model.
//
// An implementation runs them with:
//
//	func TestStore(t *testing.T) {
//		kvtest.Run(t, func(*testing.T) kv.Store { return new(kv.Memory) })
//	}
package kvtest

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
)

// Run checks every behaviour, each on a separate store. The function open returns an empty store and closes it when
// the test ends.
func Run(t *testing.T, open func(t *testing.T) kv.Store) {
	for _, group := range []struct {
		name       string
		behaviours []behaviour
	}{
		{"reading", reading},
		{"committing", committing},
		{"expecting", expecting},
		{"counting", counting},
		{"expiring", expiring},
		{"concurrency", concurrency},
	} {
		t.Run(group.name, func(t *testing.T) {
			for _, p := range group.behaviours {
				t.Run(p.name, func(t *testing.T) { p.check(t, open(t)) })
			}
		})
	}
	t.Run("random commits have the same effect as in memory", func(t *testing.T) { testRandomCommits(t, open) })
}

// A behaviour is one statement of the contract, and its test.
type behaviour struct {
	name  string
	check func(t *testing.T, s kv.Store)
}

func commit(t *testing.T, s kv.Store, ops ...kv.Op) {
	t.Helper()
	if err := s.Commit(t.Context(), ops...); err != nil {
		t.Fatalf("committing: %v", err)
	}
}

// expectError commits operations and expects an error of a kind.
func expectError(t *testing.T, s kv.Store, want graph.ErrorKind, ops ...kv.Op) {
	t.Helper()
	if err := s.Commit(t.Context(), ops...); graph.KindOf(err) != want {
		t.Fatalf("committing: %q (%v); want %q", graph.KindOf(err), err, want)
	}
}

func get(t *testing.T, s kv.Store, keys ...string) []kv.Entry {
	t.Helper()
	found, err := s.Get(t.Context(), keys...)
	if err != nil {
		t.Fatalf("reading: %v", err)
	}
	return found
}

// entryOf returns the entry with a key, or the zero Entry.
func entryOf(t *testing.T, s kv.Store, key string) kv.Entry {
	t.Helper()
	if found := get(t, s, key); len(found) > 0 {
		return found[0]
	}
	return kv.Entry{}
}

func list(t *testing.T, s kv.Store, r kv.Range) []string {
	t.Helper()
	found, err := s.List(t.Context(), r)
	if err != nil {
		t.Fatalf("listing: %v", err)
	}
	return keysOf(found)
}

func put(key, value string) kv.Op { return kv.Put(key, []byte(value)) }

func keysOf(entries []kv.Entry) []string {
	keys := make([]string, len(entries))
	for i, e := range entries {
		keys[i] = e.Key
	}
	return keys
}

func want[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func reversed(keys []string) []string {
	keys = slices.Clone(keys)
	slices.Reverse(keys)
	return keys
}
