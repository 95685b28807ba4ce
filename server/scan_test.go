package server

import (
	"testing"

	"github.com/weft-graph/weft/graph"
)

func TestFewReadThroughTheWholeStoreAtOnce(t *testing.T) {
	var all scans
	for i := range graph.ID(mostScans) {
		if err := all.begin(1000 + i); err != nil {
			t.Fatal(err)
		}
	}
	for user, want := range map[graph.ID]graph.ErrorKind{1000: graph.TooMany, 1000 + mostScans: graph.Unavailable} {
		if err := all.begin(user); graph.KindOf(err) != want {
			t.Errorf("%d: %v; want %v", user, err, want)
		}
	}
	all.end(1000)
	for _, user := range []graph.ID{1000 + mostScans, 1000} {
		if err := all.begin(user); (err == nil) != (user != 1000) {
			t.Errorf("%d, when one has ended: %v", user, err)
		}
	}
}
