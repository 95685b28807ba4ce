package query_test

import (
	"testing"

	"github.com/weft-graph/weft/query"
)

func TestPlan(t *testing.T) {
	plan := &query.Plan{Steps: []query.PlanStep{
		{What: "roots", Estimated: 10, Actual: 2},
		{Level: 1, What: "filter a", Estimated: -1, Actual: 3},
		{Level: 2, What: "filter b", Estimated: 4, Actual: -1},
	}}
	const (
		want      = "roots (estimated 10, actual 2)\n  filter a (actual 3)\n    filter b (estimated 4, not taken)\n"
		forOthers = "roots (actual 2)\n  filter a (actual 3)\n    filter b (not taken)\n"
	)
	if got := plan.String(); got != want {
		t.Errorf("the outline is\n%s", got)
	}
	if got := plan.WithoutEstimates().String(); got != forOthers || plan.String() != want {
		t.Errorf("without estimates it is\n%s", got)
	}
	if plan.Rows() != 5 {
		t.Errorf("%d rows; want 5", plan.Rows())
	}
	var none *query.Plan
	if none.String() != "" || none.Rows() != 0 || none.WithoutEstimates() != nil {
		t.Error("no plan is something")
	}
}
