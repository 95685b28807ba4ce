package query

import (
	"context"
	"maps"
	"slices"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
)

// inside follows the steps that ask for a record's own data.
func (r *run) inside(ctx context.Context, steps []*step) error {
	owners := map[graph.ID][]*step{}
	for _, s := range steps {
		if s.node.self() {
			for _, id := range s.from {
				owners[id] = append(owners[id], s)
			}
		}
	}
	found, err := r.within(ctx, slices.Sorted(maps.Keys(owners)))
	for _, c := range found {
		for _, s := range owners[c.Type] {
			s.found[c.To] = true
			s.links = append(s.links, c)
		}
	}
	return err
}

// within returns the connections inside compositions: those whose type is the concept that they start from, and on from there,
// level by level.
func (a *asker) within(ctx context.Context, mains []graph.ID) ([]graph.Connection, error) {
	level := make([]composition.Place, len(mains))
	for i, id := range mains {
		level[i] = composition.Place{Concept: id, Main: id}
	}
	var all []graph.Connection
	seen := map[composition.Place]bool{}
	for depth := 1; len(level) > 0; depth++ {
		if depth > composition.MaxDepth+1 { // one more, for the texts at the bottom
			return nil, graph.Errorf(graph.TooLarge, "composition %d is nested deeper than %d levels", level[0].Main, composition.MaxDepth)
		}
		for _, p := range level {
			seen[p] = true
		}
		records, err := a.withoutText(ctx, level)
		if err != nil {
			return nil, err
		}
		found, err := composition.Inside(ctx, a, records)
		if err != nil {
			return nil, err
		}
		level = level[:0]
		for _, c := range found {
			if p := (composition.Place{Concept: c.To, Main: c.Type}); !seen[p] {
				seen[p] = true
				level = append(level, p)
			}
		}
		all = append(all, found...)
		a.held += len(found)
		if err := a.spend(ctx, len(records)+len(found)); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// withoutText leaves out the places of texts, which hold nothing. Asking for them is cheaper than looking
// under each for every type.
func (a *asker) withoutText(ctx context.Context, places []composition.Place) ([]composition.Place, error) {
	ids := make([]graph.ID, len(places))
	for i, p := range places {
		ids[i] = p.Concept
	}
	found, err := a.Concepts(ctx, ids)
	if err != nil {
		return nil, err
	}
	text := make(map[graph.ID]bool, len(found))
	for _, c := range found {
		text[c.ID] = c.Value != ""
	}
	return slices.DeleteFunc(slices.Clone(places), func(p composition.Place) bool { return text[p.Concept] }), nil
}
