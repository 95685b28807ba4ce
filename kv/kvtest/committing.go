package kvtest

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/kv"
)

var committing = []promise{
	{"a commit is applied whole or not at all", func(t *testing.T, s kv.Store) {
		commit(t, s, put("old", "1"), put("number", "7"))
		before, err := s.List(t.Context(), kv.Range{})
		if err != nil {
			t.Fatal(err)
		}
		refuse(t, s, graph.Conflict, put("new", "x"), put("old", "2"), kv.Add("number", 1), kv.Delete("old"), put("old", "3"), kv.Expect("absent", 1))
		after, err := s.List(t.Context(), kv.Range{})
		if err != nil {
			t.Fatal(err)
		}
		want(t, "what is there", after, before)
	}},
	{"operations see those before them", func(t *testing.T, s kv.Store) {
		commit(t, s, put("a", "1"), kv.Add("a", 2), put("b", "x"), kv.Delete("b"), kv.Expect("b", kv.Absent), put("b", "y").If(kv.Absent), kv.Add("c", 1), kv.Add("c", 1))
		want(t, "a", string(one(t, s, "a").Value), "3")
		want(t, "b", string(one(t, s, "b").Value), "y")
		want(t, "c", string(one(t, s, "c").Value), "2")
	}},
	{"what is removed is gone, and removing it again is no error", func(t *testing.T, s kv.Store) {
		commit(t, s, put("a", "1"), put("b", "2"))
		commit(t, s, kv.Delete("a"), kv.Delete("never"))
		commit(t, s, kv.Delete("a"))
		want(t, "keys", list(t, s, kv.Range{}), []string{"b"})
	}},
	{"every writing has a version of its own, also after a removal", func(t *testing.T, s kv.Store) {
		seen := map[int64]bool{}
		for _, op := range []kv.Op{put("a", "1"), put("a", "1"), kv.Delete("a"), put("a", "1"), put("b", "1"), kv.Add("a", 1)} {
			commit(t, s, op)
			if op.Kind == kv.OpDelete {
				continue
			}
			version := one(t, s, op.Key).Version
			if version <= 0 || seen[version] {
				t.Errorf("%v was written as version %d after %v", op, version, seen)
			}
			seen[version] = true
		}
		before := one(t, s, "a").Version
		commit(t, s, put("c", ""), kv.Expect("a", kv.Any))
		want(t, "the version of what was not written", one(t, s, "a").Version, before)
	}},
	{"what no store could apply is refused", func(t *testing.T, s kv.Store) {
		for name, op := range map[string]kv.Op{
			"no key":            put("", "x"),
			"a long key":        put(strings.Repeat("k", kv.MaxKey+1), "x"),
			"a NUL":             put("a\x00", "x"),
			"bad UTF-8":         put("a\xff", "x"),
			"a long value":      put("a", strings.Repeat("v", kv.MaxValue+1)),
			"an odd version":    put("a", "x").If(-2),
			"an unknown kind":   {Kind: 9, Key: "a"},
			"removing nothing":  kv.Delete(""),
			"expecting nothing": kv.Expect("", kv.Absent),
		} {
			t.Log(name)
			refuse(t, s, graph.Invalid, put("b", "x"), op)
		}
		refuse(t, s, graph.Invalid, make([]kv.Op, kv.MaxOps+1)...)
		want(t, "keys", list(t, s, kv.Range{}), nil)
	}},
	{"an empty commit is no error", func(t *testing.T, s kv.Store) { commit(t, s) }},
	{"a commit of the largest size is applied", func(t *testing.T, s kv.Store) {
		var ops []kv.Op
		for i := range kv.MaxOps {
			ops = append(ops, put(fmt.Sprint("k", i), "x"))
		}
		commit(t, s, ops...)
		want(t, "keys", len(list(t, s, kv.Range{})), kv.MaxOps)
	}},
	{"whoever has given up gets an error and nothing is written", func(t *testing.T, s kv.Store) {
		ctx, giveUp := context.WithCancel(t.Context())
		giveUp()
		want(t, "committing", graph.KindOf(s.Commit(ctx, put("a", "1"))), graph.Unavailable)
		_, err := s.Get(ctx, "a")
		want(t, "reading", graph.KindOf(err), graph.Unavailable)
		_, err = s.List(ctx, kv.Range{})
		want(t, "listing", graph.KindOf(err), graph.Unavailable)
		want(t, "keys", list(t, s, kv.Range{}), nil)
	}},
}

var expecting = []promise{
	{"an operation may depend on the version of its entry", func(t *testing.T, s kv.Store) {
		commit(t, s, put("a", "1").If(kv.Absent))
		first := one(t, s, "a").Version
		refuse(t, s, graph.Conflict, put("a", "2").If(kv.Absent))
		refuse(t, s, graph.Conflict, put("a", "2").If(first+1000))
		commit(t, s, put("a", "2").If(first))
		refuse(t, s, graph.Conflict, put("a", "3").If(first))
		refuse(t, s, graph.Conflict, kv.Delete("a").If(first))
		refuse(t, s, graph.Conflict, kv.Add("a", 1).If(first))
		want(t, "the value", string(one(t, s, "a").Value), "2")
		commit(t, s, kv.Delete("a").If(one(t, s, "a").Version))
		refuse(t, s, graph.Conflict, put("a", "3").If(first))
		commit(t, s, kv.Delete("a").If(kv.Absent))
		want(t, "keys", list(t, s, kv.Range{}), nil)
	}},
	{"a commit may depend on an entry that it does not write", func(t *testing.T, s kv.Store) {
		commit(t, s, put("a", "1"))
		version := one(t, s, "a").Version
		commit(t, s, kv.Expect("a", version), kv.Expect("b", kv.Absent), put("c", "1"))
		refuse(t, s, graph.Conflict, kv.Expect("a", kv.Absent), put("c", "2"))
		refuse(t, s, graph.Conflict, kv.Expect("b", version), put("c", "2"))
		commit(t, s, put("a", "1"))
		refuse(t, s, graph.Conflict, kv.Expect("a", version), put("c", "2"))
		want(t, "what was written", string(one(t, s, "c").Value), "1")
	}},
}

var counting = []promise{
	{"a number starts at 0 and is decimal text", func(t *testing.T, s kv.Store) {
		commit(t, s, kv.Add("n", 5))
		commit(t, s, kv.Add("n", -12))
		want(t, "the number", string(one(t, s, "n").Value), "-7")
		commit(t, s, put("n", "40"))
		commit(t, s, kv.Add("n", 2))
		want(t, "the number", string(one(t, s, "n").Value), "42")
	}},
	{"what is no number cannot be added to", func(t *testing.T, s kv.Store) {
		for _, text := range []string{"", "x", "1.5", " 1", "1e3"} {
			commit(t, s, put("n", text))
			refuse(t, s, graph.Conflict, kv.Add("n", 1))
			want(t, "the value", string(one(t, s, "n").Value), text)
		}
	}},
	{"a sum that 64 bits do not hold is refused", func(t *testing.T, s kv.Store) {
		for start, delta := range map[int64]int64{math.MaxInt64: 1, math.MinInt64: -1, -1: math.MinInt64} {
			text := strconv.FormatInt(start, 10)
			commit(t, s, put("n", text), kv.Add("n", 0))
			refuse(t, s, graph.Conflict, kv.Add("n", delta))
			want(t, "the value", string(one(t, s, "n").Value), text)
		}
	}},
}
