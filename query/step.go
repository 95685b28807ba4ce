package query

import (
	"context"
	"maps"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// A step follows one hop or selector from a set of concepts. Each round of a recursive hop moves the frontier:
//
//	frontier ──links──▶ found ──minus known ones──▶ discovered ──advance──▶ frontier of the next round
type step struct {
	node        *node
	from        []graph.ID // the concepts at which the step starts, in order of id
	ignoresPage bool       // follow all connections, although the hop is paged

	starts     idSet
	frontier   idSet      // where the current round starts
	found      idSet      // all concepts that the step leads to
	discovered []graph.ID // concepts found for the first time in this round
	links      []graph.Connection
}

// stepsFrom returns the steps over the selectors and hops of a node from the given concepts.
func stepsFrom(n *node, found idSet) []*step {
	return newSteps(found, slices.Concat(n.selectors, n.hops))
}

// newSteps returns a step from the given concepts for each hop whose type exists and that returns records or counts per
// concept.
func newSteps(starts idSet, hops []*node) []*step {
	if len(starts) == 0 || len(hops) == 0 {
		return nil
	}
	var steps []*step
	ids := starts.sorted()
	for _, n := range hops {
		if n.hasType && !n.aggregatesRoots() {
			steps = append(steps, &step{node: n, from: ids, starts: starts, frontier: starts, found: idSet{}})
		}
	}
	return steps
}

// isPaged reports whether the step returns a page of connections per concept, or only their number.
func (s *step) isPaged() bool { return s.node.Limit && !s.ignoresPage || s.node.Aggregate == Count }

// followSteps follows steps together. Unpaged steps take one request per direction and round, a paged step takes
// two requests, and steps over Self are followed level by level.
func (r *execution) followSteps(ctx context.Context, steps []*step) error {
	active := slices.DeleteFunc(slices.Clone(steps), func(s *step) bool { return s.node.isSelf() || s.isPaged() })
	for round := 1; len(active) > 0; round++ {
		for _, direction := range []graph.Direction{graph.Out, graph.In} {
			if err := r.followTogether(ctx, direction, active); err != nil {
				return err
			}
		}
		active = slices.DeleteFunc(active, func(s *step) bool { return round >= s.node.Depth || !s.advance() })
	}
	for _, s := range steps {
		if err := r.followPaged(ctx, s); err != nil {
			return err
		}
	}
	return r.followInside(ctx, steps)
}

// followTogether follows the steps in one direction. One request returns the connections of all their types at
// all their concepts. Each step then selects its own connections.
func (r *execution) followTogether(ctx context.Context, direction graph.Direction, steps []*step) error {
	byType := map[graph.ID][]*step{}
	starts := idSet{}
	for _, s := range steps {
		if s.node.direction() == direction {
			byType[s.node.typ] = append(byType[s.node.typ], s)
			maps.Copy(starts, s.frontier)
		}
	}
	types := slices.Sorted(maps.Keys(byType))
	for chunk := range slices.Chunk(starts.sorted(), MaxPageSize) {
		found, err := r.Links(ctx, graph.Links{Of: chunk, Direction: direction, Types: types})
		if err != nil {
			return err
		}
		for _, c := range found {
			for _, s := range byType[c.Type] {
				r.addLink(s, c)
			}
		}
		if err := r.spendRows(ctx, len(found)); err != nil {
			return err
		}
	}
	return nil
}

// followPaged follows a paged step, which requires a request for the page and one for the numbers of connections.
func (r *execution) followPaged(ctx context.Context, s *step) error {
	if !s.isPaged() {
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
		r.addLink(s, c)
	}
	return r.spendRows(ctx, len(found))
}

// countLinks adds the numbers of connections that links selects to the answer.
func (r *execution) countLinks(ctx context.Context, links graph.Links) error {
	counts, err := r.CountLinks(ctx, links)
	if err != nil {
		return err
	}
	for _, c := range counts {
		r.addCount(c.Of, c.Type, c.N)
	}
	return r.spendRows(ctx, len(counts))
}

// addLink adds a connection to a step if the connection starts at the frontier of the step.
func (r *execution) addLink(s *step, c graph.Connection) {
	far := farOf(c, s.node.direction())
	if !s.frontier[nearOf(c, s.node.direction())] {
		return
	}
	if s.node.Depth > 1 && !s.found[far] {
		s.discovered = append(s.discovered, far)
	}
	s.found[far] = true
	s.links = append(s.links, c)
	r.heldLinks++
}

// advance moves the frontier of a recursive step to the discovered concepts. It returns false if the new frontier
// is empty.
func (s *step) advance() bool {
	s.frontier = setOf(s.discovered).minus(s.starts)
	s.discovered = nil
	return len(s.frontier) > 0
}
