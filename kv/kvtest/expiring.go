package kvtest

import (
	"testing"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/kv"
)

var expiring = []promise{
	{"an expired entry is as good as removed", func(t *testing.T, s kv.Store) {
		past := time.Now().Add(-time.Millisecond)
		commit(t, s, put("a", "1").Until(past), put("b", "2"), kv.Add("n", 7).Until(past))
		want(t, "reading", get(t, s, "a", "n"), nil)
		want(t, "listing", list(t, s, kv.Range{}), []string{"b"})
		want(t, "listing one", list(t, s, kv.Range{Limit: 1}), []string{"b"})
		commit(t, s, kv.Expect("a", kv.Absent), kv.Add("n", 1))
		want(t, "the number", string(one(t, s, "n").Value), "1")
		commit(t, s, put("a", "3").If(kv.Absent))
		want(t, "the value", string(one(t, s, "a").Value), "3")
	}},
	{"an entry is there until its time, in milliseconds", func(t *testing.T, s kv.Store) {
		soon := time.Now().Add(time.Hour)
		commit(t, s, put("a", "1").Until(soon), kv.Add("n", 1).Until(soon))
		for _, e := range get(t, s, "a", "n") {
			want(t, "its end", e.Expires, soon.UTC().Truncate(time.Millisecond))
			commit(t, s, kv.Expect(e.Key, e.Version))
		}
		commit(t, s, put("a", "1"), kv.Add("n", 1))
		for _, e := range get(t, s, "a", "n") {
			want(t, "its end, written again without one", e.Expires, time.Time{})
		}
	}},
	{"an entry goes when its time comes", func(t *testing.T, s kv.Store) {
		commit(t, s, put("a", "1").Until(time.Now().Add(30*time.Millisecond)))
		version := one(t, s, "a").Version
		for give := time.Now().Add(10 * time.Second); len(get(t, s, "a")) > 0; time.Sleep(time.Millisecond) {
			if time.Now().After(give) {
				t.Fatal("it is still there")
			}
		}
		want(t, "listing", list(t, s, kv.Range{}), nil)
		if version > 0 {
			refuse(t, s, graph.Conflict, put("a", "2").If(version))
		}
	}},
}
