package schemas

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/schema"
)

// A linkCount counts the connections of one type.
type linkCount struct {
	name  string
	of    map[graph.ID]int // connections by record
	types map[string]int   // types of the concepts at the other end
	texts []string         // values at the other end
}

// discoverLinks describes the connections of records in one direction. It leaves out connections inside compositions.
// Their type is a composition, not a type concept.
func discoverLinks(ctx context.Context, r graph.Reader, records []graph.ID, direction graph.Direction) ([]FoundLink, error) {
	links, err := r.Links(ctx, graph.Links{Of: records, Direction: direction, Page: graph.Page{Limit: linksPerRecord, Descending: true}})
	if err != nil {
		return nil, err
	}
	names, err := typeNames(ctx, r, links, func(c graph.Connection) graph.ID { return c.Type })
	if err != nil {
		return nil, err
	}
	links = slices.DeleteFunc(links, func(c graph.Connection) bool { return names[c.Type] == "" })
	far, err := farConcepts(ctx, r, links, direction)
	if err != nil {
		return nil, err
	}
	farTypes, err := typeNames(ctx, r, slices.Collect(maps.Values(far)), func(c graph.Concept) graph.ID { return c.Type })
	if err != nil {
		return nil, err
	}
	counts := map[graph.ID]*linkCount{}
	for _, c := range links {
		count := counts[c.Type]
		if count == nil {
			count = &linkCount{name: names[c.Type], of: map[graph.ID]int{}, types: map[string]int{}}
			counts[c.Type] = count
		}
		near, end := c.From, c.To
		if direction == graph.In {
			near, end = c.To, c.From
		}
		count.of[near]++
		concept := far[end]
		count.types[farTypes[concept.Type]]++
		if !concept.Composition && concept.Value != "" {
			count.texts = append(count.texts, concept.Value)
		}
	}
	return foundLinks(slices.Collect(maps.Values(counts)), direction == graph.In), nil
}

// foundLinks returns the links, the link with the most records first.
func foundLinks(counts []*linkCount, reverse bool) []FoundLink {
	found := make([]FoundLink, len(counts))
	for i, c := range counts {
		link := FoundLink{Connection: c.name, Reverse: reverse, Records: len(c.of), Most: slices.Max(slices.Collect(maps.Values(c.of)))}
		link.Types = slices.SortedFunc(maps.Keys(c.types), func(a, b string) int {
			return cmp.Or(cmp.Compare(c.types[b], c.types[a]), strings.Compare(a, b))
		})
		link.Examples, link.Distinct = examplesOf(c.texts)
		if len(c.texts) > 0 {
			link.Kind = schema.FittingKind(c.texts)
		}
		found[i] = link
	}
	slices.SortFunc(found, func(a, b FoundLink) int {
		return cmp.Or(cmp.Compare(b.Records, a.Records), strings.Compare(a.Connection, b.Connection))
	})
	return found
}

// farConcepts returns the concepts at the other end of connections, by id.
func farConcepts(ctx context.Context, r graph.Reader, links []graph.Connection, direction graph.Direction) (map[graph.ID]graph.Concept, error) {
	ids := make([]graph.ID, len(links))
	for i, c := range links {
		if ids[i] = c.To; direction == graph.In {
			ids[i] = c.From
		}
	}
	concepts, err := r.Concepts(ctx, ids)
	found := make(map[graph.ID]graph.Concept, len(concepts))
	for _, c := range concepts {
		found[c.ID] = c
	}
	return found, err
}

// typeNames returns the names of the types of the given records, by id. A composition is not a type and has no
// name.
func typeNames[T any](ctx context.Context, r graph.Reader, of []T, typeOf func(T) graph.ID) (map[graph.ID]string, error) {
	ids := make([]graph.ID, len(of))
	for i, record := range of {
		ids[i] = typeOf(record)
	}
	types, err := r.Concepts(ctx, ids)
	names := make(map[graph.ID]string, len(types))
	for _, c := range types {
		if c.IsType() {
			names[c.ID] = c.Value
		}
	}
	return names, err
}
