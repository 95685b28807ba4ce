package sqlite

import (
	"slices"
	"sync"
	"testing"

	"github.com/weft-graph/weft/graph"
)

// TestStatementCache selects with more shapes than the cache holds, many of them concurrently.
func TestStatementCache(t *testing.T) {
	s, err := Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for shape := range maxStatements + 20 {
				set := graph.Intersection(slices.Concat(
					slices.Repeat([]graph.Set{graph.Instances{}}, 1+shape/15), slices.Repeat([]graph.Set{graph.IDs{graph.The}}, 1+shape%15)))
				if found, err := s.Select(t.Context(), graph.Selection{Set: set}); err != nil || len(found) != 1 {
					t.Errorf("found %v, %v; want one concept", found, err)
					return
				}
			}
		})
	}
	all.Wait()
	if n := len(s.selects.entries); n != maxStatements {
		t.Errorf("%d statements are cached; want %d", n, maxStatements)
	}
}
