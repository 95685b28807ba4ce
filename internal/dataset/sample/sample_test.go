package sample_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/dataset/sample"
)

func TestEveryDraftHasItsLocalID(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, s := range sample.All() {
		b, err := s.Batch(now)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(b.Concepts) + len(b.Connections); n == 0 || n > graph.MaxBatchRecords {
			t.Errorf("%s has %d drafts; want 1 to %d", s.Name, n, graph.MaxBatchRecords)
		}
		concepts := map[graph.ID]bool{}
		for _, d := range b.Concepts {
			concepts[d.LocalID] = true
		}
		for i := range b.Concepts {
			if !concepts[graph.ID(-1-i)] {
				t.Fatalf("%s has no concept %d", s.Name, -1-i)
			}
		}
		connections := map[graph.ID]bool{}
		for _, d := range b.Connections {
			connections[d.LocalID] = true
		}
		for i := range b.Connections {
			if !connections[graph.ID(-1-i)] {
				t.Fatalf("%s has no connection %d", s.Name, -1-i)
			}
		}
		again, err := s.Batch(now)
		if diff := cmp.Diff(b, again); err != nil || diff != "" {
			t.Errorf("%s differs the second time: %v %s", s.Name, err, diff)
		}
	}
}
