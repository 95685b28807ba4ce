package wire_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/query"
	"github.com/weft-graph/weft/wire"
)

func TestQueryMemberNamesMatchInAnyCase(t *testing.T) {
	const sent = `{"type":"the_item","filterlogic":"( a AND NOT b )","isSecure":true,"usePipelineQuery":1,"OutputFormat":8,
		"filters":[{"name":"a","operateOn":"n","Type":"the_price","logicOperator":"LIKE","search":12.50,"composition":true,"index":0},
		           {"name":"b","operateon":"","type":"the_open","search":true}],
		"freeSchemaQueries":[{"TYPECONNECTION":"the_item_price","name":"n","FilterAncestor":"m","includeInfilter":true,"order":"asc","cache":true,
			"freeschemaqueries":[{"typeconnection":"the_price_tax","Depth":3},{"typeConnection":"the_price_x","Aggregate":"Group"}]}],
		"After":7,"countall":true}`
	var q wire.Query
	if err := wire.Decode([]byte(sent), &q); err != nil {
		t.Fatal(err)
	}
	want := query.Query{
		Type: "the_item", Logic: "( a AND NOT b )", After: 7, CountAll: true,
		Filters: []query.Filter{
			{Name: "a", On: "n", Type: "the_price", Op: "LIKE", Search: "12.50"},
			{Name: "b", Type: "the_open", Search: "true"},
		},
		Hops: []query.Query{{
			Connection: "the_item_price", Name: "n", Ancestor: "m", Include: true, Order: query.Ascending,
			Hops: []query.Query{{Connection: "the_price_tax", Depth: 3}, {Connection: "the_price_x", Aggregate: query.Group}},
		}},
	}
	if diff := cmp.Diff(want, q.Graph()); diff != "" {
		t.Error(diff)
	}
	if q.OutputFormat != wire.Int(query.DataV2) {
		t.Errorf("the format is %d; want %d", q.OutputFormat, query.DataV2)
	}
}

func TestAnswerRoundTrip(t *testing.T) {
	for name, want := range map[string]query.Answer{
		"an empty answer": {},
		"a complete answer": {
			Roots: []graph.ID{3}, Total: 17, AtLeast: true, Links: []graph.ID{4, 5}, Reverse: []graph.ID{5}, Concepts: []graph.ID{1, 3},
			Counts: []graph.LinkCount{{Of: 3, Type: 9, N: 2}},
			Groups: []query.Groups{
				{Name: "n", Connection: "c", Distinct: 2, Top: []query.GroupCount{{Concept: 1, N: 3}, {Concept: 8, N: 1}}},
				{Name: "d", Connection: "d", Distinct: 5},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			sent := wire.NewAnswer(want)
			sent.SetGroupValues([]graph.Concept{{ID: 1, Value: "red"}, {ID: 8, Value: `"blue"`}})
			var received wire.Answer
			if err := json.Unmarshal(sent.AppendJSON(nil), &received); err != nil {
				t.Fatal(err)
			}
			if len(want.Groups) > 0 && (received.Groups[0].Top[0].Value != "red" || received.Groups[0].Top[1].Value != `"blue"`) {
				t.Errorf("the groups have values %+v; want red and \"blue\"", received.Groups[0].Top)
			}
			got, err := received.Graph()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
}
