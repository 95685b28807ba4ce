package sqlstore

import (
	"cmp"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// SplitKeys passes each key to the functions for the ranges of the directory that can contain its matches: types, instances
// of any type, instances of one type, and instances of one type that a viewer sees. A key may match types and instances.
func SplitKeys(keys []graph.ValueKey, types, instances, ofType, ofTypeVisible func(graph.ValueKey)) {
	for _, key := range keys {
		if !graph.IsShared(key.Value) {
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
			ofTypeVisible(key)
		}
	}
}

// Matching returns the concepts that match one of the keys, each once, in order of id.
func Matching(found []graph.Concept, keys []graph.ValueKey) []graph.Concept {
	byValue := make(map[string][]graph.ValueKey, len(keys))
	for _, key := range keys {
		byValue[key.Value] = append(byValue[key.Value], key)
	}
	found = slices.DeleteFunc(found, func(c graph.Concept) bool {
		return !slices.ContainsFunc(byValue[c.Value], func(key graph.ValueKey) bool { return key.Matches(c) })
	})
	slices.SortFunc(found, func(a, b graph.Concept) int { return cmp.Compare(a.ID, b.ID) })
	return slices.CompactFunc(found, func(a, b graph.Concept) bool { return a.ID == b.ID })
}
