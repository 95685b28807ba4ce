package composition

import (
	"cmp"
	"context"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// A Place is a concept inside a composition. One record may stand in several.
type Place struct{ Concept, Main graph.ID }

// together is how many compositions are asked for with one question. A store looks under every concept
// for every type, so the work grows with the square of this, and the number of questions falls with it.
const together = 32

// Inside returns the connections that leave places inside their compositions, those of one place in order
// of id. Places come each once.
func Inside(ctx context.Context, r graph.Reader, places []Place) ([]graph.Connection, error) {
	places = slices.Clone(places)
	slices.SortStableFunc(places, func(a, b Place) int { return cmp.Compare(a.Main, b.Main) })
	var found []graph.Connection
	for len(places) > 0 {
		some, mains := firstMains(places)
		of := make([]graph.ID, len(some))
		asked := make(map[Place]bool, len(some))
		for i, p := range some {
			of[i] = p.Concept
			asked[p] = true
		}
		links, err := r.Links(ctx, graph.Links{Of: of, Direction: graph.Out, Types: mains})
		if err != nil {
			return nil, err
		}
		for _, c := range links {
			if asked[Place{c.From, c.Type}] {
				found = append(found, c)
			}
		}
		places = places[len(some):]
	}
	return found, nil
}

// firstMains cuts off the places of the first few compositions.
func firstMains(places []Place) (some []Place, mains []graph.ID) {
	for i, p := range places {
		if len(mains) > 0 && p.Main == mains[len(mains)-1] {
			continue
		}
		if len(mains) == together {
			return places[:i], mains
		}
		mains = append(mains, p.Main)
	}
	return places, mains
}
