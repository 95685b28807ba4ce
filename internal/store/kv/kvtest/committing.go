package kvtest

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
)

var committing = []behaviour{
	{"a commit is applied completely or not at all", func(t *testing.T, s kv.Store) {
		commit(t, s, put("old", "1"), put("number", "7"))
		before, err := s.List(t.Context(), kv.Range{})
		if err != nil {
			t.Fatal(err)
		}
		expectError(t, s, graph.Conflict, put("new", "x"), put("old", "2"), kv.Add("number", 1), kv.Delete("old"), put("old", "3"), kv.Expect("absent", 1))
		after, err := s.List(t.Context(), kv.Range{})
		if err != nil {
			t.Fatal(err)
		}
		want(t, "the entries", after, before)
	}},
	{"an operation sees the effect of those before it", func(t *testing.T, s kv.Store) {
		commit(t, s, put("a", "1"), kv.Add("a", 2), put("b", "x"), kv.Delete("b"), kv.Expect("b", kv.Absent), put("b", "y").If(kv.Absent), kv.Add("c", 1), kv.Add("c", 1))
		want(t, "a", string(entryOf(t, s, "a").Value), "3")
		want(t, "b", string(entryOf(t, s, "b").Value), "y")
		want(t, "c", string(entryOf(t, s, "c").Value), "2")
	}},
	{"deletes an entry, and succeeds when it is already absent", func(t *testing.T, s kv.Store) {
		commit(t, s, put("a", "1"), put("b", "2"))
		commit(t, s, kv.Delete("a"), kv.Delete("never"))
		commit(t, s, kv.Delete("a"))
		want(t, "keys", list(t, s, kv.Range{}), []string{"b"})
	}},
	{"every write gives the entry a new version, even after a deletion", func(t *testing.T, s kv.Store) {
		seen := map[int64]bool{}
		for _, op := range []kv.Op{put("a", "1"), put("a", "1"), kv.Delete("a"), put("a", "1"), put("b", "1"), kv.Add("a", 1)} {
			commit(t, s, op)
			if op.Kind == kv.OpDelete {
				continue
			}
			version := entryOf(t, s, op.Key).Version
			if version <= 0 || seen[version] {
				t.Errorf("%v was written as version %d after %v; want a new version above 0", op, version, seen)
			}
			seen[version] = true
		}
		before := entryOf(t, s, "a").Version
		commit(t, s, put("c", ""), kv.Expect("a", kv.Any))
		want(t, "the version of an entry that was not written", entryOf(t, s, "a").Version, before)
	}},
	{"refuses invalid operations and applies none of the commit", func(t *testing.T, s kv.Store) {
		for name, op := range map[string]kv.Op{
			"no key":                 put("", "x"),
			"a long key":             put(strings.Repeat("k", kv.MaxKey+1), "x"),
			"a NUL":                  put("a\x00", "x"),
			"invalid UTF-8":          put("a\xff", "x"),
			"a long value":           put("a", strings.Repeat("v", kv.MaxValue+1)),
			"an invalid version":     put("a", "x").If(-2),
			"an unknown kind":        {Kind: 9, Key: "a"},
			"deleting an empty key":  kv.Delete(""),
			"expecting an empty key": kv.Expect("", kv.Absent),
		} {
			t.Log(name)
			expectError(t, s, graph.Invalid, put("b", "x"), op)
		}
		expectError(t, s, graph.Invalid, make([]kv.Op, kv.MaxOps+1)...)
		want(t, "keys", list(t, s, kv.Range{}), nil)
	}},
	{"accepts an empty commit", func(t *testing.T, s kv.Store) { commit(t, s) }},
	{"accepts a commit of MaxOps operations", func(t *testing.T, s kv.Store) {
		var ops []kv.Op
		for i := range kv.MaxOps {
			ops = append(ops, put(fmt.Sprint("k", i), "x"))
		}
		commit(t, s, ops...)
		want(t, "keys", len(list(t, s, kv.Range{})), kv.MaxOps)
	}},
	{"a cancelled context is Unavailable and nothing is written", func(t *testing.T, s kv.Store) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		want(t, "committing", graph.KindOf(s.Commit(ctx, put("a", "1"))), graph.Unavailable)
		_, err := s.Get(ctx, "a")
		want(t, "reading", graph.KindOf(err), graph.Unavailable)
		_, err = s.List(ctx, kv.Range{})
		want(t, "listing", graph.KindOf(err), graph.Unavailable)
		want(t, "keys", list(t, s, kv.Range{}), nil)
	}},
}

var expecting = []behaviour{
	{"an operation may depend on the version of its entry", func(t *testing.T, s kv.Store) {
		commit(t, s, put("a", "1").If(kv.Absent))
		first := entryOf(t, s, "a").Version
		expectError(t, s, graph.Conflict, put("a", "2").If(kv.Absent))
		expectError(t, s, graph.Conflict, put("a", "2").If(first+1000))
		commit(t, s, put("a", "2").If(first))
		expectError(t, s, graph.Conflict, put("a", "3").If(first))
		expectError(t, s, graph.Conflict, kv.Delete("a").If(first))
		expectError(t, s, graph.Conflict, kv.Add("a", 1).If(first))
		want(t, "the value", string(entryOf(t, s, "a").Value), "2")
		commit(t, s, kv.Delete("a").If(entryOf(t, s, "a").Version))
		expectError(t, s, graph.Conflict, put("a", "3").If(first))
		commit(t, s, kv.Delete("a").If(kv.Absent))
		want(t, "keys", list(t, s, kv.Range{}), nil)
	}},
	{"a commit may depend on an entry that it does not write", func(t *testing.T, s kv.Store) {
		commit(t, s, put("a", "1"))
		version := entryOf(t, s, "a").Version
		commit(t, s, kv.Expect("a", version), kv.Expect("b", kv.Absent), put("c", "1"))
		expectError(t, s, graph.Conflict, kv.Expect("a", kv.Absent), put("c", "2"))
		expectError(t, s, graph.Conflict, kv.Expect("b", version), put("c", "2"))
		commit(t, s, put("a", "1"))
		expectError(t, s, graph.Conflict, kv.Expect("a", version), put("c", "2"))
		want(t, "the value written", string(entryOf(t, s, "c").Value), "1")
	}},
}

var counting = []behaviour{
	{"a number starts at 0 and is stored as decimal text", func(t *testing.T, s kv.Store) {
		commit(t, s, kv.Add("n", 5))
		commit(t, s, kv.Add("n", -12))
		want(t, "the number", string(entryOf(t, s, "n").Value), "-7")
		commit(t, s, put("n", "40"))
		commit(t, s, kv.Add("n", 2))
		want(t, "the number", string(entryOf(t, s, "n").Value), "42")
	}},
	{"refuses to add to a value that is not a decimal number", func(t *testing.T, s kv.Store) {
		for _, text := range []string{"", "x", "1.5", " 1", "1e3"} {
			commit(t, s, put("n", text))
			expectError(t, s, graph.Conflict, kv.Add("n", 1))
			want(t, "the value", string(entryOf(t, s, "n").Value), text)
		}
	}},
	{"refuses a sum that overflows 64 bits", func(t *testing.T, s kv.Store) {
		for start, delta := range map[int64]int64{math.MaxInt64: 1, math.MinInt64: -1, -1: math.MinInt64} {
			text := strconv.FormatInt(start, 10)
			commit(t, s, put("n", text), kv.Add("n", 0))
			expectError(t, s, graph.Conflict, kv.Add("n", delta))
			want(t, "the value", string(entryOf(t, s, "n").Value), text)
		}
	}},
}
