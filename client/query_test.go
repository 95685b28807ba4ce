package client_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/weft-graph/weft/client"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/query"
	"github.com/weft-graph/weft/wire"
)

func TestQueryReturnsTheSameAnswerAsALocalRun(t *testing.T) {
	s := servertest.Start(t)
	b := graph.Batch{Sender: graph.Sender{User: graph.Anonymous}, Concepts: []graph.ConceptDraft{
		{LocalID: -1, TypeName: "the_pen", Value: "blue"},
		{LocalID: -2, TypeName: "the_pen", Value: "red"},
		{LocalID: -3, TypeName: "the_box", Value: "tin"},
		{LocalID: -4, TypeName: "the_box", Value: "wood"},
	}, Connections: []graph.ConnectionDraft{
		{From: -1, To: -3, TypeName: "the_pen_s_box"}, {From: -2, To: -3, TypeName: "the_pen_s_box"}, {From: -2, To: -4, TypeName: "the_pen_s_box"},
	}}
	if _, err := s.Store.Write(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	c := client.New(s.URL)
	defer c.Close()
	hop := wire.Query{TypeConnection: "the_pen_s_box", Name: "box"}
	for name, change := range map[string]func(q, hop *wire.Query){
		"tree":      func(*wire.Query, *wire.Query) {},
		"ascending": func(q, _ *wire.Query) { q.Order = "asc" },
		"filtered": func(q, _ *wire.Query) {
			q.Filters = []wire.Filter{{Name: "tin", OperateOn: "box", Type: "the_box", LogicOperator: "!=", Search: "TIN"}}
			q.FilterLogic = "tin"
		},
		"page":               func(q, hop *wire.Query) { q.Inpage, q.CountAll, hop.Limit, hop.Inpage = 1, true, true, 1 },
		"counts":             func(_, hop *wire.Query) { hop.Aggregate = "count" },
		"groups":             func(_, hop *wire.Query) { hop.Aggregate = "group" },
		"explain is ignored": func(q, _ *wire.Query) { q.Explain = true },
	} {
		q, hop := wire.Query{Type: "the_pen"}, hop
		change(&q, &hop)
		q.FreeschemaQueries = []wire.Query{hop}
		want, err := query.Run(t.Context(), s.Store, q.Graph())
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.Query(t.Context(), q)
		ignored := cmpopts.IgnoreFields(query.Answer{}, "Connections", "Plan")
		if diff := cmp.Diff(want, got, ignored, cmpopts.EquateEmpty()); diff != "" || err != nil || len(got.Roots) == 0 {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
		plan, err := c.Explain(t.Context(), q)
		if err != nil || plan != want.Plan.WithoutEstimates().String() || !strings.HasPrefix(plan, "the_pen (actual ") {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, plan, want.Plan.WithoutEstimates())
		}
	}
}
