package main

import (
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/memory"
)

// The import of any graph file, malformed or not, must leave a sound store and must not panic.
func FuzzImportGraph(f *testing.F) {
	const head = `{"weft":"graph","version":1,"store":"s","seq":9}` + "\n"
	for _, seed := range []string{
		"", head, head + `{"concept":100000,"of":"the_name","value":"Ann","owner":1,"access":"public"}` + "\n",
		head + `{"concept":100000,"owner":100001}`, head + `{"connection":100002,"from":100000,"to":9223372036854775807,"type":16}`,
		head + `{"concept":-9223372036854775808}`, head + `{"concept":1e400}`, `{"weft":"graph","version":2}`, head + strings.Repeat("[", 100),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, file string) {
		store := memory.New()
		r := fileReader{store: store, report: func(int) {}}
		if err := r.readAll(t.Context(), strings.NewReader(file)); err != nil && graph.KindOf(err) == graph.Internal && strings.Contains(err.Error(), "panic") {
			t.Error(err)
		}
		if err := store.Check(t.Context()); err != nil {
			t.Errorf("the store is damaged: %v", err)
		}
	})
}

// The import of any JSON, malformed or not, must leave a sound store.
func FuzzImportJSON(f *testing.F) {
	for _, seed := range []string{
		`[{"name":"Ann","tags":["a","b"]}]`, `{"a":1} {"a":2}`, `[1,2]`, `{"a":{"b":{"c":null}}}`, `[`, `{"a":1,"a":2}`, `{"":0}`, "{\"\\u0000\":1}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, file string) {
		store := memory.New()
		w := recordWriter{store: store, typeName: "the_record", sender: senderOf("the_record", "fuzz")}
		_ = w.importAll(t.Context(), strings.NewReader(file), func(int) {}) // any error is fine, as long as the store is sound
		if err := store.Check(t.Context()); err != nil {
			t.Errorf("the store is damaged: %v", err)
		}
	})
}
