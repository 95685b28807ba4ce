package query

import (
	"testing"

	"github.com/weft-graph/weft/graph"
)

// A union counts a common member twice. The links to its members are still no more than all links of their types.
func TestEstimateOfLinksToAUnionIsAtMostAllLinks(t *testing.T) {
	const person, knows = 200_001, 200_002
	sizes := typeSizes{person: {Instances: 300}, knows: {Links: 900}}
	above := func(text string) graph.Set {
		return graph.Instances{Type: person, Where: &graph.Predicate{Op: graph.Greater, Text: text}}
	}
	union := graph.Union{above("a"), above("b"), above("c"), above("d")}
	if n := sizes.estimate(union); n <= 300 {
		t.Errorf("the estimate of the union is %d; want the sum of its operands", n)
	}
	if n := sizes.estimate(graph.Linked{Types: []graph.ID{knows}, Far: union}); n != 900 {
		t.Errorf("the estimate of the links to the union is %d; want 900", n)
	}
}
