package query_test

import (
	"fmt"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/sqlite"
	"github.com/weft-graph/weft/query"
)

// TestQueriesThroughAHub would take hours if a reader followed every path through the hub separately.
func TestQueriesThroughAHub(t *testing.T) {
	const numbers = 10_000
	s, err := sqlite.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	b := graph.Batch{Sender: graph.Sender{User: 7}, Concepts: []graph.ConceptDraft{{LocalID: -1, Kind: graph.DraftComposition, TypeName: "the_hub"}}}
	for i := range numbers {
		id := graph.ID(-2 - i)
		b.Concepts = append(b.Concepts, graph.ConceptDraft{LocalID: id, TypeName: "the_number", Value: fmt.Sprint(i)})
		b.Connections = append(b.Connections, graph.ConnectionDraft{From: id, To: -1, TypeName: "the_number_hub"})
	}
	if _, err := s.Write(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	for hops := 1; hops <= 6; hops++ {
		filter := query.Filter{Name: "none", On: "end", Op: graph.NotEqual, Search: "none"}
		q := query.Query{Type: "the_number", CountAll: true, Filters: []query.Filter{filter}, Logic: "NOT none"}
		if hops%2 == 0 {
			q.Filters[0] = query.Filter{Name: "none", On: "end", Type: "the_number", Op: graph.Less, Search: "-1"}
		}
		last := &q
		for i := range hops {
			last.Hops = []query.Query{{Connection: "the_number_hub", Reverse: i%2 == 1}}
			last = &last.Hops[0]
		}
		last.Name = "end"
		a, err := query.Run(t.Context(), s, q)
		if err != nil || a.Total != numbers*((hops+1)%2) {
			t.Errorf("%d hops: %d roots pass (%v); want %d\n%s", hops, a.Total, err, numbers*((hops+1)%2), a.Plan)
		}
	}
}
