package query_test

import (
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/query"
	"github.com/weft-graph/weft/shop"
	"github.com/weft-graph/weft/store/memory"
)

// BenchmarkRun asks a shop of 100,000 orders. The store in memory selects in an obvious and slow way, so that it is the plain
// reader whose numbers tell something about this package, and those of the other about its questions.
func BenchmarkRun(b *testing.B) {
	store := memory.New()
	if err := shop.Generate(b.Context(), store, shop.Size{Customers: 10_000, Orders: 100_000, Products: 2_000}, nil); err != nil {
		b.Fatal(err)
	}
	for what, c := range shopQueries {
		for name, read := range map[string]func(*questioned) graph.Reader{
			"plain":     func(q *questioned) graph.Reader { return q },
			"selecting": func(q *questioned) graph.Reader { return selecting{q, store} },
		} {
			b.Run(what+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				asked := &questioned{Reader: store}
				for b.Loop() {
					if _, err := query.Run(b.Context(), read(asked), c.query); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(asked.n)/float64(b.N), "questions/op")
			})
		}
	}
}
