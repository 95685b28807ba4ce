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
		{What: "roots", Estimated: 10, Actual: 2},
		{Level: 1, What: "gather", Estimated: 5, Actual: 6, Way: true},
		{Level: 1, What: "filter a", Estimated: -1, Actual: 3},
		{Level: 2, What: "filter b", Estimated: 4, Actual: -1},
	}}
	const (
		want      = "roots (estimated 10, actual 2)\n  gather (estimated 5, actual 6)\n  filter a (actual 3)\n    filter b (estimated 4, not taken)\n"
		forOthers = "roots (actual 2)\n  filter a (actual 3)\n    filter b (not taken)\n"
	)
	if got := plan.String(); got != want {
		t.Errorf("the outline is\n%s", got)
	}
	if got := plan.WithoutEstimates().String(); got != forOthers || plan.String() != want {
		t.Errorf("without estimates it is\n%s", got)
	}
	if plan.Rows() != 11 {
		t.Errorf("%d rows; want 11", plan.Rows())
	}
	var none *query.Plan
	if none.String() != "" || none.Rows() != 0 || none.WithoutEstimates() != nil {
		t.Error("no plan is something")
	}
}

func TestAPlanStandsInTheOrderOfItsQuery(t *testing.T) {
	store, ids := woven(t, 3, func(i int) [][3]int { return [][3]int{{i, (i + 1) % 3, 0}, {i, (i + 2) % 3, 1}} })
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
	const want = `the concepts asked for (estimated 3, actual 3)
  the_n_a (actual 3)
    the_n_s_b (actual 3)
    the_n_s_b backwards (actual 3)
      the_n_a (actual 3)
  the_n_c (not taken)
    the_n_a (not taken)
  the_n_s_b (actual 3)
    self (actual 0)
`
	if got := a.Plan.String(); got != want {
		t.Errorf("the outline is\n%s", got)
	}
}

func TestAPlanHasFewLines(t *testing.T) {
	const many = 100
	store, _ := woven(t, 3*many, func(i int) [][3]int { return [][3]int{{i, (i + 1) % (3 * many), 0}} })
	q := query.Query{Type: "the_n", Hops: []query.Query{{Connection: "the_n_a", Name: "next"}}}
	var names []string
	for i := range many {
		name := fmt.Sprint("f", i)
		q.Filters = append(q.Filters, query.Filter{Name: name, On: "next", Op: graph.NotEqual, Search: name})
		names = append(names, name)
	}
	q.Logic = strings.Join(names, " AND ")
	a, err := query.RunWith(t.Context(), store, q, 1, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	if lines := len(a.Plan.Steps); lines > 20 || !strings.Contains(a.Plan.String(), fmt.Sprintf("gather %d others (not taken)", many-1)) {
		t.Errorf("%d lines:\n%s", lines, a.Plan)
	}
}
