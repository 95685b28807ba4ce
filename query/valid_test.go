package query_test

import (
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/query"
)

func TestFiltersAndLogicAreLimited(t *testing.T) {
	filters := func(n int, name string) []query.Filter {
		all := make([]query.Filter, n)
		for i := range all {
			all[i] = query.Filter{Name: name, On: "here"}
		}
		return all
	}
	mentioned := func(n int) string { return "a" + strings.Repeat(" OR a", n-1) }
	hops := make([]query.Query, 10)
	for i := range hops {
		hops[i] = query.Query{Connection: "the_n_a", Name: "here"}
	}
	for _, c := range []struct {
		what  string
		query query.Query
		want  graph.ErrorKind
	}{
		{"as many filters as there may be", query.Query{Filters: filters(query.MaxFilters, "b")}, ""},
		{"one filter more", query.Query{Filters: filters(query.MaxFilters+1, "b")}, graph.TooLarge},
		{"as much as a filter may search for", query.Query{Filters: []query.Filter{{Search: strings.Repeat("%", query.MaxSearch)}}}, ""},
		{"one byte more to search for", query.Query{Filters: []query.Filter{{Search: strings.Repeat("%", query.MaxSearch+1)}}}, graph.TooLarge},
		{"as long as a logic may be", query.Query{Logic: strings.Repeat(" ", query.MaxLogic)}, ""},
		{"one byte more", query.Query{Logic: strings.Repeat(" ", query.MaxLogic+1)}, graph.TooLarge},
		{"a filter mentioned as often as it may be", query.Query{Filters: filters(1, "a"), Logic: mentioned(query.MaxTests / 10)}, ""},
		{"mentioned once more", query.Query{Filters: filters(1, "a"), Logic: mentioned(query.MaxTests/10 + 1)}, graph.TooLarge},
		{"as many filters of one name on nodes as there may be", query.Query{Filters: filters(query.MaxTests/100, "a"), Logic: mentioned(10)}, ""},
		{"one filter of that name more", query.Query{Filters: filters(query.MaxTests/100+1, "a"), Logic: mentioned(10)}, graph.TooLarge},
	} {
		t.Run(c.what, func(t *testing.T) {
			c.query.Type, c.query.Hops = "the_n", hops
			if err := c.query.Check(); graph.KindOf(err) != c.want {
				t.Errorf("the error is %v; want %q", err, c.want)
			}
		})
	}
}
