package querytest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/query"
)

// The fuzz tests are in this package because the fuzzer rebuilds all packages that its tests import, and this
// package imports few.

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"type":"the_item","selectors":["self"],"hops":[{"connection":"the_item_s_tag","reverse":true,"limit":true,"page":2,"pageSize":5,"order":"ASC"}]}`))
	f.Add([]byte(`{"conceptIds":[1,2,-3],"filters":[{}],"logic":"a AND b"}`))
	f.Add([]byte(`{"type":"x","name":"r","filters":[{"name":"a","on":"n","type":"the_t","op":">=","search":"3"},{"name":"b","on":"r","type":"id","search":"5"}],` +
		`"logic":"NOT (a EXAND b) OR a","after":7,"countAll":true,"hops":[{"connection":"c","name":"n","ancestor":"r","include":true,"depth":3},{"connection":"d","aggregate":"group"}]}`))
	f.Add([]byte(`{"type":"x"} trailing`))
	f.Add([]byte(`{"hops":[{"hops":[{"hops":[{}]}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		q, err := query.Parse(data)
		if kind := graph.KindOf(err); err != nil && kind != graph.Invalid && kind != graph.TooLarge {
			t.Fatalf("%q: %v is %q; want invalid or tooLarge", data, err, kind)
		}
		if err != nil {
			return
		}
		if _, err := query.Run(t.Context(), memory.New(), q); err != nil {
			t.Errorf("%q is valid but cannot be run: %v", data, err)
		}
	})
}

func FuzzLogic(f *testing.F) {
	for _, text := range []string{"a AND NOT (b OR c) EXAND d", "((a EXAND b) EXAND NOT c)", "NOT NOT a", "a AND", "\xff ) (", "a\u00a0b OR\tc", ""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		l, ok, err := query.ParseLogic(text)
		if kind := graph.KindOf(err); err != nil && kind != graph.Invalid && kind != graph.TooLarge {
			t.Fatalf("%q: %v is %q; want invalid or tooLarge", text, err, kind)
		}
		if !ok {
			return
		}
		reparsed, ok, err := query.ParseLogic(l.String())
		if err != nil || !ok {
			t.Fatalf("%q is formatted as %q, which parses as %v, %v", text, l, ok, err)
		}
		if diff := cmp.Diff(l, reparsed, cmpopts.IgnoreFields(query.Logic{}, "At")); diff != "" {
			t.Fatalf("%q is formatted as %q:\n%s", text, l, diff)
		}
	})
}
