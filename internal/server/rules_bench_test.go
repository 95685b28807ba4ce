package server

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/access"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/wire"
)

// BenchmarkIncrements applies increments of one field, each of which replaces the value of the one before it, as offline clients send
// them. The cost of each does not grow with their number.
func BenchmarkIncrements(b *testing.B) {
	for _, n := range []int{500, 2_000, 8_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			store := access.New(memory.New(), access.Rules{}).As(access.Caller{User: 7})
			batch := graph.Batch{Concepts: []graph.ConceptDraft{{LocalID: -1, Kind: graph.DraftComposition, TypeName: "the_counter"}}}
			var list []wire.Increment
			for i := range n {
				id := graph.ID(-2 - i)
				batch.Concepts = append(batch.Concepts, graph.ConceptDraft{LocalID: id, TypeName: "the_count", Value: "1"})
				batch.Connections = append(batch.Connections, graph.ConnectionDraft{LocalID: id, From: -1, To: id, Type: -1})
				batch.RemoveConnections = append(batch.RemoveConnections, id+1)
				list = append(list, wire.Increment{Concept: wire.Int(id), By: "1"})
			}
			sent, err := http.NewRequestWithContext(b.Context(), http.MethodPost, "/", nil)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				r, err := newRules(&request{Request: sent, graph: store}, batch)
				if err != nil {
					b.Fatal(err)
				}
				if err := r.increment(list); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/increment")
		})
	}
}
