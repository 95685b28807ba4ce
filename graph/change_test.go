package graph_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/graph"
)

func TestAPackedChange(t *testing.T) {
	parts := []graph.ChangePart{
		{Scope: -1, Concepts: []graph.ID{7}, Types: []graph.ID{5}},
		{Concepts: []graph.ID{7, 1 << 40}, Connections: []graph.ID{9, graph.MaxID}, Types: []graph.ID{5, 6}},
		{Scope: 70_001, Types: []graph.ID{6}},
	}
	c := graph.Change{Seq: 3, Wide: true}.WithParts(parts)
	if diff := cmp.Diff([]graph.ID{7, 1 << 40}, c.Concepts); diff != "" {
		t.Errorf("concepts of all parts:\n%s", diff)
	}
	t.Run("unpacks to the original", func(t *testing.T) {
		got := graph.Change{Seq: 3}
		if err := got.Unpack(c.Pack()); err != nil || cmp.Diff(c, got) != "" {
			t.Errorf("%+v, %v; want %+v", got, err, c)
		}
	})
	t.Run("in the older format without parts, unpacks to one public part", func(t *testing.T) {
		var got graph.Change
		err := got.Unpack([]byte{0, 2, 7, 3, 0, 1, 5})
		want := graph.Change{}.WithParts([]graph.ChangePart{{Concepts: []graph.ID{7, 10}, Types: []graph.ID{5}}})
		if err != nil || cmp.Diff(want, got) != "" {
			t.Errorf("%+v, %v; want %+v", got, err, want)
		}
	})
	t.Run("is reported as damaged when truncated", func(t *testing.T) {
		packed := c.Pack()
		for i := range packed {
			if got := graph.KindOf(new(graph.Change).Unpack(packed[:i])); got != graph.Internal {
				t.Errorf("truncated to %d of %d bytes: error kind %q; want internal", i, len(packed), got)
			}
		}
	})
}
