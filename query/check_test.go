package query_test

import (
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/query"
)

func TestCheckLimitsFiltersAndLogic(t *testing.T) {
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
		{"the largest number of filters", query.Query{Filters: filters(query.MaxFilters, "b")}, ""},
		{"one filter too many", query.Query{Filters: filters(query.MaxFilters+1, "b")}, graph.TooLarge},
		{"the longest operand", query.Query{Filters: []query.Filter{{Search: strings.Repeat("%", query.MaxSearchBytes)}}}, ""},
		{"an operand one byte too long", query.Query{Filters: []query.Filter{{Search: strings.Repeat("%", query.MaxSearchBytes+1)}}}, graph.TooLarge},
		{"the longest logic", query.Query{Logic: strings.Repeat(" ", query.MaxLogicBytes)}, ""},
		{"a logic one byte too long", query.Query{Logic: strings.Repeat(" ", query.MaxLogicBytes+1)}, graph.TooLarge},
		{"the largest number of mentions", query.Query{Filters: filters(1, "a"), Logic: mentioned(query.MaxFilterTests / 10)}, ""},
		{"one mention too many", query.Query{Filters: filters(1, "a"), Logic: mentioned(query.MaxFilterTests/10 + 1)}, graph.TooLarge},
		{"the largest number of filters with one name", query.Query{Filters: filters(query.MaxFilterTests/100, "a"), Logic: mentioned(10)}, ""},
		{"one filter with that name too many", query.Query{Filters: filters(query.MaxFilterTests/100+1, "a"), Logic: mentioned(10)}, graph.TooLarge},
	} {
		t.Run(c.what, func(t *testing.T) {
			c.query.Type, c.query.Hops = "the_n", hops
			if err := c.query.Check(); graph.KindOf(err) != c.want {
				t.Errorf("the error is %v; want %q", err, c.want)
			}
		})
	}
}
