package sqlite

import (
	"sync"
	"testing"

	"github.com/weft-graph/weft/graph"
)

// TestManyShapes asks more shapes of questions than are kept, many at a time.
func TestManyShapes(t *testing.T) {
	s, err := Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			both := graph.Both{graph.Instances{}}
			for range mostPrepared + 20 {
				both = append(both, graph.These{graph.The})
				if found, err := s.Select(t.Context(), graph.Selection{Set: both}); err != nil || len(found) != 1 {
					t.Errorf("found %v, %v", found, err)
					return
				}
			}
		})
	}
	all.Wait()
	if n := len(s.selects.kept); n != mostPrepared {
		t.Errorf("%d statements are kept; want %d", n, mostPrepared)
	}
}
