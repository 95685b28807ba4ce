package query

import (
	"context"
	"maps"
	"slices"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
)

// A place is a concept inside a composition.
type place struct{ concept, main graph.ID }

// inside follows the steps that ask for a record's own data: the connections whose type is the concept
// they start from, at any depth, one question to the reader for each depth.
func (r *run) inside(ctx context.Context, steps []*step) error {
	owners := map[graph.ID][]*step{}
	var level []place
	for _, s := range steps {
		if s.typ != 0 {
			continue
		}
		for _, id := range s.from {
			if owners[id] == nil {
				level = append(level, place{id, id})
			}
			owners[id] = append(owners[id], s)
		}
	}
	seen := map[place]bool{}
	for depth := 1; len(level) > 0; depth++ {
		if depth > composition.MaxDepth {
			return graph.Errorf(graph.TooLarge, "composition %d is nested deeper than %d levels", level[0].main, composition.MaxDepth)
		}
		for _, p := range level {
			seen[p] = true
		}
		var next []place
		for some := range slices.Chunk(level, MaxPageSize) {
			found, err := r.within(ctx, some)
			if err != nil {
				return err
			}
			for _, c := range found {
				for _, s := range owners[c.Type] {
					s.found[c.To] = true
				}
				if err := r.keep(c); err != nil {
					return err
				}
				if p := (place{c.To, c.Type}); !seen[p] {
					seen[p] = true
					next = append(next, p)
				}
			}
		}
		level = next
	}
	return nil
}

// within finds the connections that leave places inside their compositions.
func (r *run) within(ctx context.Context, places []place) ([]graph.Connection, error) {
	of, mains, asked := map[graph.ID]bool{}, map[graph.ID]bool{}, map[place]bool{}
	for _, p := range places {
		of[p.concept], mains[p.main], asked[p] = true, true, true
	}
	found, err := r.Links(ctx, graph.Links{
		Of: slices.Sorted(maps.Keys(of)), Direction: graph.Out, Types: slices.Sorted(maps.Keys(mains)),
	})
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(found, func(c graph.Connection) bool { return !asked[place{c.From, c.Type}] }), nil
}
