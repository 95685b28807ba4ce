package query

import (
	"maps"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// An idSet is a set of ids.
type idSet map[graph.ID]bool

func setOf(ids []graph.ID) idSet {
	s := make(idSet, len(ids))
	for _, id := range ids {
		s[id] = true
	}
	return s
}

func (s idSet) sorted() []graph.ID { return slices.Sorted(maps.Keys(s)) }

// intersect returns the ids in both sets.
func (s idSet) intersect(other idSet) idSet {
	common := idSet{}
	for id := range s {
		if other[id] {
			common[id] = true
		}
	}
	return common
}

// minus returns the ids that are not in the other set.
func (s idSet) minus(other idSet) idSet {
	rest := idSet{}
	for id := range s {
		if !other[id] {
			rest[id] = true
		}
	}
	return rest
}
