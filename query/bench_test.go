package query_test

import (
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/dataset/shop"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/query"
)

// BenchmarkRun queries a shop of 100,000 orders. With the plain reader, the times measure this package. With the
// selecting reader, only the number of requests is meaningful, because the memory store selects by a slow reference
// implementation.
func BenchmarkRun(b *testing.B) {
	store := memory.New()
	if err := shop.Generate(b.Context(), store, shop.Size{Customers: 10_000, Orders: 100_000, Products: 2_000}, nil); err != nil {
		b.Fatal(err)
	}
	for name, c := range shopQueries {
		for readerName, read := range map[string]func(*counting) graph.Reader{
			"plain":     func(q *counting) graph.Reader { return q },
			"selecting": func(q *counting) graph.Reader { return selecting{q, store} },
		} {
			b.Run(name+"/"+readerName, func(b *testing.B) {
				b.ReportAllocs()
				counted := &counting{Reader: store}
				for b.Loop() {
					if _, err := query.Run(b.Context(), read(counted), c.query); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(counted.n)/float64(b.N), "requests/op")
			})
		}
	}
}
