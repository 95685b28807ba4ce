package kvtest

import (
	"testing"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
)

var expiring = []behaviour{
	{"an expired entry reads as absent", func(t *testing.T, s kv.Store) {
		past := time.Now().Add(-time.Millisecond)
		commit(t, s, put("a", "1").Until(past), put("b", "2"), kv.Add("n", 7).Until(past))
		want(t, "reading", get(t, s, "a", "n"), nil)
		want(t, "listing", list(t, s, kv.Range{}), []string{"b"})
		want(t, "listing one", list(t, s, kv.Range{Limit: 1}), []string{"b"})
		commit(t, s, kv.Expect("a", kv.Absent), kv.Add("n", 1))
		want(t, "the number", string(entryOf(t, s, "n").Value), "1")
		commit(t, s, put("a", "3").If(kv.Absent))
		want(t, "the value", string(entryOf(t, s, "a").Value), "3")
	}},
	{"an expiry time is kept to the millisecond, and a later write without one removes it", func(t *testing.T, s kv.Store) {
		expiry := time.Now().Add(time.Hour)
		commit(t, s, put("a", "1").Until(expiry), kv.Add("n", 1).Until(expiry))
		for _, e := range get(t, s, "a", "n") {
			want(t, "its expiry", e.Expires, expiry.UTC().Truncate(time.Millisecond))
			commit(t, s, kv.Expect(e.Key, e.Version))
		}
		commit(t, s, put("a", "1"), kv.Add("n", 1))
		for _, e := range get(t, s, "a", "n") {
			want(t, "its expiry, written again without one", e.Expires, time.Time{})
		}
	}},
	{"an entry disappears when it expires", func(t *testing.T, s kv.Store) {
		commit(t, s, put("a", "1").Until(time.Now().Add(30*time.Millisecond)))
		version := entryOf(t, s, "a").Version
		for deadline := time.Now().Add(10 * time.Second); len(get(t, s, "a")) > 0; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("the entry still exists")
			}
		}
		want(t, "listing", list(t, s, kv.Range{}), nil)
		if version > 0 {
			expectError(t, s, graph.Conflict, put("a", "2").If(version))
		}
	}},
}
