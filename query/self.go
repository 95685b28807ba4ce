package query

import (
	"context"
	"slices"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
)

// inside follows the steps that ask for a record's own data: the connections whose type is the concept
// they start from, level by level.
func (r *run) inside(ctx context.Context, steps []*step) error {
	owners := map[graph.ID][]*step{}
	var level []composition.Place
	for _, s := range steps {
		if s.typ != 0 {
			continue
		}
		for _, id := range s.from {
			if owners[id] == nil {
				level = append(level, composition.Place{Concept: id, Main: id})
			}
			owners[id] = append(owners[id], s)
		}
	}
	seen := map[composition.Place]bool{}
	for depth := 1; len(level) > 0; depth++ {
		if depth > composition.MaxDepth+1 { // one more, for the texts at the bottom
			return graph.Errorf(graph.TooLarge, "composition %d is nested deeper than %d levels", level[0].Main, composition.MaxDepth)
		}
		for _, p := range level {
			seen[p] = true
		}
		records, err := r.withoutText(ctx, level)
		if err != nil {
			return err
		}
		found, err := composition.Inside(ctx, r, records)
		if err != nil {
			return err
		}
		level = level[:0]
		for _, c := range found {
			for _, s := range owners[c.Type] {
				s.found[c.To] = true
			}
			if err := r.keep(c); err != nil {
				return err
			}
			if p := (composition.Place{Concept: c.To, Main: c.Type}); !seen[p] {
				seen[p] = true
				level = append(level, p)
			}
		}
	}
	return nil
}

// withoutText leaves out the places of texts, which hold nothing. Asking for them is cheaper than looking
// under each for every type.
func (r *run) withoutText(ctx context.Context, places []composition.Place) ([]composition.Place, error) {
	ids := make([]graph.ID, len(places))
	for i, p := range places {
		ids[i] = p.Concept
	}
	found, err := r.Concepts(ctx, ids)
	if err != nil {
		return nil, err
	}
	text := make(map[graph.ID]bool, len(found))
	for _, c := range found {
		text[c.ID] = c.Value != ""
	}
	return slices.DeleteFunc(slices.Clone(places), func(p composition.Place) bool { return text[p.Concept] }), nil
}
