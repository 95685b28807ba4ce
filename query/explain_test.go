package query_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/query"
)

func TestPlan(t *testing.T) {
	plan := &query.Plan{Steps: []query.PlanStep{
		{Label: "roots", Estimated: 10, Actual: 2},
		{Level: 1, Label: "gather", Estimated: 5, Actual: 6, IsRootSearch: true},
		{Level: 1, Label: "filter a", Estimated: -1, Actual: 3},
		{Level: 2, Label: "filter b", Estimated: 4, Actual: -1},
	}}
	const (
		complete = "roots (estimated 10, actual 2)\n  gather (estimated 5, actual 6)\n  filter a (actual 3)\n    filter b (estimated 4, skipped)\n"
		redacted = "roots (actual 2)\n  filter a (actual 3)\n    filter b (skipped)\n"
	)
	if got := plan.String(); got != complete {
		t.Errorf("the plan is\n%s\nwant\n%s", got, complete)
	}
	if got := plan.WithoutEstimates().String(); got != redacted || plan.String() != complete {
		t.Errorf("without estimates the plan is\n%s\nwant\n%s", got, redacted)
	}
	if plan.Rows() != 11 {
		t.Errorf("%d rows; want 11", plan.Rows())
	}
	var none *query.Plan
	if none.String() != "" || none.Rows() != 0 || none.WithoutEstimates() != nil {
		t.Error("a nil plan is not empty")
	}
}

func TestPlanListsHopsInTheOrderOfTheQuery(t *testing.T) {
	store, ids := buildGraph(t, 3, func(i int) [][3]int { return [][3]int{{i, (i + 1) % 3, 0}, {i, (i + 2) % 3, 1}} })
	a, err := query.Run(t.Context(), store, query.Query{ConceptIDs: ids, Hops: []query.Query{
		{Connection: "the_n_a", Selectors: []string{"the_n_s_b"}, Hops: []query.Query{
			{Connection: "the_n_s_b", Reverse: true, Selectors: []string{"the_n_a"}},
		}},
		{Connection: "the_n_c", Hops: []query.Query{{Connection: "the_n_a"}}},
		{Connection: "the_n_s_b", Selectors: []string{query.Self}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	const want = `the requested concepts (estimated 3, actual 3)
  the_n_a (actual 3)
    the_n_s_b (actual 3)
    the_n_s_b in reverse (actual 3)
      the_n_a (actual 3)
  the_n_c (skipped)
    the_n_a (skipped)
  the_n_s_b (actual 3)
    self (actual 0)
`
	if got := a.Plan.String(); got != want {
		t.Errorf("the plan is\n%s\nwant\n%s", got, want)
	}
}

func TestPlanOfManyFiltersIsShort(t *testing.T) {
	const many = 100
	store, _ := buildGraph(t, 3*many, func(i int) [][3]int { return [][3]int{{i, (i + 1) % (3 * many), 0}} })
	q := query.Query{Type: "the_n", Hops: []query.Query{{Connection: "the_n_a", Name: "next"}}}
	var names []string
	for i := range many {
		name := fmt.Sprint("f", i)
		q.Filters = append(q.Filters, query.Filter{Name: name, On: "next", Op: graph.NotEqual, Search: name})
		names = append(names, name)
	}
	q.Logic = strings.Join(names, " AND ")
	a, err := query.RunWithThresholds(t.Context(), store, q, query.Thresholds{Gather: 1, Window: 1})
	if err != nil {
		t.Fatal(err)
	}
	if lines := len(a.Plan.Steps); lines > 20 || !strings.Contains(a.Plan.String(), fmt.Sprintf("gather %d others (skipped)", many-1)) {
		t.Errorf("%d lines; want at most 20, of which one counts the skipped sets:\n%s", lines, a.Plan)
	}
}
