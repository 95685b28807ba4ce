package query

import (
	"context"
	"maps"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// A step follows one hop or selector from a set of concepts.
type step struct {
	node  *node
	from  []graph.ID
	whole bool // although the hop has pages

	start idSet // from
	at    idSet // where it stands: there, until a hop with a depth goes on
	found idSet
	fresh []graph.ID // what was found since it stands there and never before
	links []graph.Connection
}

// stepsFrom lists what leads on from concepts of a node, leaving out connections that nobody made.
func stepsFrom(n *node, found idSet) []*step {
	return newSteps(found, slices.Concat(n.selectors, n.hops))
}

func newSteps(at idSet, along []*node) []*step {
	if len(at) == 0 || len(along) == 0 {
		return nil
	}
	var steps []*step
	ids := at.sorted()
	for _, n := range along {
		if n.known && !n.overall() {
			steps = append(steps, &step{node: n, from: ids, start: at, at: at, found: idSet{}})
		}
	}
	return steps
}

// paged says whether the step brings a page of connections for each concept, or only tells how many there are.
func (s *step) paged() bool { return s.node.Limit && !s.whole || s.node.Aggregate == Count }

// follow takes steps together.
func (r *run) follow(ctx context.Context, steps []*step) error {
	moving := slices.DeleteFunc(slices.Clone(steps), func(s *step) bool { return s.node.self() || s.paged() })
	for gone := 1; len(moving) > 0; gone++ {
		for _, direction := range []graph.Direction{graph.Out, graph.In} {
			if err := r.together(ctx, direction, moving); err != nil {
				return err
			}
		}
		moving = slices.DeleteFunc(moving, func(s *step) bool { return gone >= s.node.Depth || !s.goOn() })
	}
	for _, s := range steps {
		if err := r.alone(ctx, s); err != nil {
			return err
		}
	}
	return r.inside(ctx, steps)
}

// together follows the steps in one direction. The reader is asked for the connections of all their types at all
// their concepts, and each step picks its own.
func (r *run) together(ctx context.Context, direction graph.Direction, steps []*step) error {
	byType := map[graph.ID][]*step{}
	of := idSet{}
	for _, s := range steps {
		if s.node.direction() == direction {
			byType[s.node.typ] = append(byType[s.node.typ], s)
			maps.Copy(of, s.at)
		}
	}
	types := slices.Sorted(maps.Keys(byType))
	for some := range slices.Chunk(of.sorted(), MaxPageSize) {
		found, err := r.Links(ctx, graph.Links{Of: some, Direction: direction, Types: types})
		if err != nil {
			return err
		}
		for _, c := range found {
			for _, s := range byType[c.Type] {
				r.take(s, c)
			}
		}
		if err := r.spend(ctx, len(found)); err != nil {
			return err
		}
	}
	return nil
}

// alone follows a paged step and counts what there is in all.
func (r *run) alone(ctx context.Context, s *step) error {
	if !s.paged() {
		return nil
	}
	links := graph.Links{Of: s.from, Direction: s.node.direction(), Types: []graph.ID{s.node.typ}}
	if s.node.ConnectionID == 0 || s.node.Aggregate == Count {
		if err := r.countLinks(ctx, links); err != nil {
			return err
		}
	}
	if s.node.Aggregate == Count {
		return nil
	}
	links.Page = s.node.page()
	found, err := r.Links(ctx, links)
	if err != nil {
		return err
	}
	for _, c := range found {
		r.take(s, c)
	}
	return r.spend(ctx, len(found))
}

func (r *run) countLinks(ctx context.Context, links graph.Links) error {
	counts, err := r.CountLinks(ctx, links)
	if err != nil {
		return err
	}
	for _, c := range counts {
		r.count(c.Of, c.Type, c.N)
	}
	return r.spend(ctx, len(counts))
}

// take keeps a connection if it starts where the step stands.
func (r *run) take(s *step, c graph.Connection) {
	far := farOf(c, s.node.direction())
	if !s.at[nearOf(c, s.node.direction())] {
		return
	}
	if s.node.Depth > 1 && !s.found[far] {
		s.fresh = append(s.fresh, far)
	}
	s.found[far] = true
	s.links = append(s.links, c)
	r.held++
}

// goOn moves a step with a depth to what it came upon for the first time, if there is anything.
func (s *step) goOn() bool {
	s.at = setOf(s.fresh).without(s.start)
	s.fresh = nil
	return len(s.at) > 0
}
