package sqlstore

import (
	"cmp"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// Sort hands each key to the ranges of the directory that can hold what it asks for: types, instances of any
// type, of one type, and of one type as a viewer sees it. A key may ask for types and instances.
func Sort(keys []graph.ValueKey, types, instances, ofType, ofTypeSeen func(graph.ValueKey)) {
	for _, key := range keys {
		if !graph.Shared(key.Value) {
			continue
		}
		if key.Category != graph.CategoryInstance {
			types(key)
		}
		switch {
		case key.Types || key.Category != 0 && key.Category != graph.CategoryInstance:
		case key.Type == 0:
			instances(key)
		case key.Viewer == 0:
			ofType(key)
		default:
			ofTypeSeen(key)
		}
	}
}

// Matching keeps what one of the keys asks for, once, in order of id.
func Matching(found []graph.Concept, keys []graph.ValueKey) []graph.Concept {
	asked := make(map[string][]graph.ValueKey, len(keys))
	for _, key := range keys {
		asked[key.Value] = append(asked[key.Value], key)
	}
	found = slices.DeleteFunc(found, func(c graph.Concept) bool {
		return !slices.ContainsFunc(asked[c.Value], func(key graph.ValueKey) bool { return key.Matches(c) })
	})
	slices.SortFunc(found, func(a, b graph.Concept) int { return cmp.Compare(a.ID, b.ID) })
	return slices.CompactFunc(found, func(a, b graph.Concept) bool { return a.ID == b.ID })
}
