package kvtest

import (
	"slices"
	"strings"
	"testing"

	"github.com/weft-graph/weft/internal/store/kv"
)

var reading = []behaviour{
	{"Get returns entries in the order of the keys, each once, without absent ones", func(t *testing.T, s kv.Store) {
		commit(t, s, put("a", "1"), put("b", "2"), put("c", ""))
		got := get(t, s, "c", "nothing", "a", "c", "b")
		want(t, "keys", keysOf(got), []string{"c", "a", "b"})
		want(t, "a value", string(got[1].Value), "1")
		want(t, "an empty value", len(got[0].Value), 0)
		want(t, "no keys", get(t, s), nil)
	}},
	{"a value is any bytes, and is copied on write and on read", func(t *testing.T, s kv.Store) {
		value := []byte{0, 0xFF, 'a', '\'', 0}
		commit(t, s, kv.Put("k", value))
		value[2] = 'b'
		got := entryOf(t, s, "k").Value
		want(t, "the value", got, []byte{0, 0xFF, 'a', '\'', 0})
		got[2] = 'c'
		want(t, "the value, again", entryOf(t, s, "k").Value, []byte{0, 0xFF, 'a', '\'', 0})
	}},
	{"keeps a key of MaxKey and a value of MaxValue bytes", func(t *testing.T, s kv.Store) {
		key, value := strings.Repeat("k", kv.MaxKey), strings.Repeat("v", kv.MaxValue)
		commit(t, s, put(key, value))
		want(t, "the value is whole", string(entryOf(t, s, key).Value) == value, true)
		want(t, "the list", list(t, s, kv.Range{Prefix: key}), []string{key})
	}},
	{"List sorts keys by their bytes", func(t *testing.T, s kv.Store) {
		keys := []string{"A", "B", "_", "a", "a ", "a%", "a/1", "a/10", "a/2", "aa", "é", "ｅ", "\U0010FFFF"}
		for _, key := range reversed(keys) {
			commit(t, s, put(key, key))
		}
		want(t, "all", list(t, s, kv.Range{}), keys)
		want(t, "all, descending", list(t, s, kv.Range{Descending: true}), reversed(keys))
		for _, prefix := range append(keys, "", "a/", "b", "z", "\U0010FFFF\U0010FFFF") {
			var with []string
			for _, key := range keys {
				if strings.HasPrefix(key, prefix) {
					with = append(with, key)
				}
			}
			want(t, "with prefix "+prefix, list(t, s, kv.Range{Prefix: prefix}), with)
			want(t, "with prefix "+prefix+", descending", list(t, s, kv.Range{Prefix: prefix, Descending: true}), reversed(with))
		}
	}},
	{"pages of a range join to the whole range", func(t *testing.T, s kv.Store) {
		keys := []string{"p/1", "p/2", "p/3", "p/4", "p/5"}
		commit(t, s, put("o", ""), put("q", ""), put("p", ""), put("p0", ""))
		for _, key := range keys {
			commit(t, s, put(key, ""))
		}
		for _, descending := range []bool{false, true} {
			var paged []string
			r := kv.Range{Prefix: "p/", Limit: 2, Descending: descending}
			for page := list(t, s, r); len(page) > 0 && len(paged) < 2*len(keys); page = list(t, s, r) {
				want(t, "a page has at most two", len(page) <= 2, true)
				paged = append(paged, page...)
				r.After = page[len(page)-1]
			}
			all := keys
			if descending {
				all = reversed(keys)
			}
			want(t, "all pages", paged, all)
		}
	}},
	{"a page may start after a key that does not exist", func(t *testing.T, s kv.Store) {
		commit(t, s, put("p/1", ""), put("p/2", ""), put("p/4", ""))
		for after, above := range map[string][]string{
			"p/3": {"p/4"}, "p/2": {"p/4"}, "p/0": {"p/1", "p/2", "p/4"}, "a": {"p/1", "p/2", "p/4"}, "p/9": nil, "z": nil,
		} {
			want(t, "after "+after, list(t, s, kv.Range{Prefix: "p/", After: after}), above)
		}
		for after, below := range map[string][]string{
			"p/3": {"p/2", "p/1"}, "p/2": {"p/1"}, "p/0": nil, "a": nil, "p/9": {"p/4", "p/2", "p/1"}, "z": {"p/4", "p/2", "p/1"},
		} {
			want(t, "before "+after, list(t, s, kv.Range{Prefix: "p/", After: after, Descending: true}), below)
		}
	}},
	{"List returns whole entries", func(t *testing.T, s kv.Store) {
		commit(t, s, put("a", "1"), put("b", "2"))
		found, err := s.List(t.Context(), kv.Range{})
		if err != nil {
			t.Fatal(err)
		}
		slices.Reverse(found)
		want(t, "the entries", found, get(t, s, "b", "a"))
	}},
}
