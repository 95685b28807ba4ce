//go:build unix

package schemas_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/schemas"
	"github.com/weft-graph/weft/internal/store/cache"
	"github.com/weft-graph/weft/internal/store/sqlite"
)

// BenchmarkWrite measures, on SQLite, how much more processor time a write takes with checks than without. Rounds with and without
// checks alternate; the result is the median of the ratios of the rounds.
func BenchmarkWrite(b *testing.B) {
	for _, writers := range []int{1, 16} {
		b.Run(fmt.Sprintf("create/writers=%d", writers), func(b *testing.B) {
			compareWrites(b, writers, func(s *crmStore, i int64) graph.Batch {
				return s.contact(fmt.Sprintf(`{"name": "n%d", "email": "e%d@b.co", "age": %d, "tags": ["a", "b"], "address": {"city": "Gent"}}`, i, i, i))
			})
		})
		b.Run(fmt.Sprintf("update/writers=%d", writers), func(b *testing.B) {
			var ids []graph.ID
			compareWrites(b, writers, func(s *crmStore, i int64) graph.Batch {
				for len(ids) < 2_000 {
					ids = append(ids, s.mustWrite(s.contact(fmt.Sprintf(`{"name": "n%d", "age": 1}`, len(ids)))))
				}
				return s.patch(ids[i%2_000], fmt.Sprintf(`{"age": %d}`, i))
			})
		})
	}
}

// compareWrites writes the batches of build alternately with and without checks.
func compareWrites(b *testing.B, writers int, build func(s *crmStore, i int64) graph.Batch) {
	b.Helper()
	inner, err := sqlite.Open(b.Context(), b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = inner.Close() })
	cached := cache.New(inner, 64<<20)
	s := newStore(b, cached, schemas.Options{})
	s.local = composition.LocalIDs{Concept: -1_000_000, Connection: -1_000_000}
	const perRound = 400
	var n int64
	var ratios []float64
	var took [2]time.Duration
	for b.Loop() {
		var round [2]time.Duration
		for first := range 2 { // with and without checks take turns at being first
			i := (first + len(ratios)) % 2
			store := []graph.Store{cached, s.Store}[i]
			batches := make([]graph.Batch, perRound)
			for j := range batches {
				n++
				batches[j] = build(s, n)
			}
			round[i] = writeAll(b, store, batches, writers)
			took[i] += round[i]
		}
		ratios = append(ratios, float64(round[1])/float64(round[0]))
	}
	slices.Sort(ratios)
	writes := float64(len(ratios) * perRound)
	b.ReportMetric(float64(took[0].Microseconds())/writes, "µs/unchecked")
	b.ReportMetric(float64(took[1].Microseconds())/writes, "µs/checked")
	b.ReportMetric(ratios[len(ratios)/2], "ratio")
}

// writeAll writes batches with a number of concurrent writers.
func writeAll(b *testing.B, store graph.Store, batches []graph.Batch, writers int) time.Duration {
	b.Helper()
	var next atomic.Int64
	var group sync.WaitGroup
	start := processorTime(b)
	for range writers {
		group.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(batches) {
					return
				}
				if _, err := store.Write(context.Background(), batches[i]); err != nil {
					b.Error(err)
				}
			}
		})
	}
	group.Wait()
	return processorTime(b) - start
}

// processorTime returns the processor time that the process has used.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// readOnly is a store whose Write does nothing.
type readOnly struct{ graph.Store }

func (readOnly) Write(context.Context, graph.Batch) (graph.Receipt, error) {
	return graph.Receipt{}, nil
}

// BenchmarkCheck measures the checks alone.
func BenchmarkCheck(b *testing.B) {
	inner, err := sqlite.Open(b.Context(), b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = inner.Close() })
	cached := cache.New(inner, 64<<20)
	s := newStore(b, cached, schemas.Options{})
	id := s.mustWrite(s.contact(`{"name": "Ann", "age": 1, "email": "x@b.co"}`))
	checked := schemas.NewStore(readOnly{cached}, schemas.Options{})
	for name, batch := range map[string]graph.Batch{
		"create":    s.contact(`{"name": "n", "email": "e@b.co", "age": 5, "tags": ["a", "b"], "address": {"city": "Gent"}}`),
		"update":    s.patch(id, `{"age": 5}`),
		"unrelated": s.build("the_other", `{"name": "n", "email": "e@b.co", "age": 5, "tags": ["a", "b"], "address": {"city": "Gent"}}`),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := checked.Write(b.Context(), batch); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	update := s.patch(id, `{"age": 5}`)
	read, err := cached.Connections(b.Context(), update.RemoveConnections)
	if err != nil {
		b.Fatal(err)
	}
	ctx := graph.WithReadBefore(b.Context(), read) // package access does the same
	b.Run("update after access", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := checked.Write(ctx, update); err != nil {
				b.Fatal(err)
			}
		}
	})
}
