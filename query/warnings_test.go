package query_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/query"
)

func TestWarningsNameAllUnknownTypes(t *testing.T) {
	q := query.Query{
		Type: "the_a", Selectors: []string{query.Self, "the_b"},
		Hops: []query.Query{
			{Connection: "the_c", Selectors: []string{"the_b"}},
			{Connection: "old", Legacy: true},
			{Connection: query.Self},
		},
		OrderBy: []query.OrderBy{{Field: "the_f"}, {Connection: "the_g", Field: "the_f"}},
		Filters: []query.Filter{
			{Name: "a", Type: "the_d"}, {Name: "b", Type: query.FieldType, Op: graph.Equal, Search: "the_e"}, {Name: "a", Type: query.FieldID, Search: "1"},
		},
		Logic: "a OR b",
	}
	var want []string
	for _, name := range []string{"the_a", "the_b", "the_c", "the_d", "the_e", "the_f", "the_g"} {
		want = append(want, "the query names "+name+", an unknown type")
	}
	got, err := query.Warnings(t.Context(), memory.New(), q, true)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}
