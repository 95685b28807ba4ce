package query

import (
	"context"
	"slices"
	"time"

	"github.com/weft-graph/weft/graph"
)

// A pruner selects the connections of a filtered answer in three steps:
//
//	reachAll    follows all hops on paths to matches, from the roots to the end, without pages
//	leadingTo   finds, from the matches back to the roots, the concepts that lead to a match
//	keepAt      adds, from the roots again, the connections between these concepts to the answer
type pruner struct {
	*execution
	hops       map[*node]bool       // hops on paths to matches
	reached    map[*node]idSet      // per node, all concepts that reachAll reached
	traversals map[*node]*traversal // per hop, the connections that reachAll read
	nextSteps  []*step              // other hops and selectors, from the concepts of the answer
}

// prune adds to the answer the connections on paths from the roots to matches. It returns the steps over the other
// hops and selectors.
func (r *execution) prune(ctx context.Context, roots []graph.ID) ([]*step, error) {
	if len(roots) == 0 {
		return nil, nil
	}
	p := pruner{
		execution: r, hops: map[*node]bool{}, reached: map[*node]idSet{r.root(): setOf(roots)}, traversals: map[*node]*traversal{},
	}
	top := newMatchScope(r.root(), nil)
	r.filter.collectMatches(top, false)
	top.collectHops(p.hops)
	if err := p.reachAll(ctx, newSteps(p.reached[r.root()], p.hopsToMatches(r.root()))); err != nil {
		return nil, err
	}
	if _, err := p.leadingTo(ctx, top, r.root()); err != nil {
		return nil, err
	}
	top.kept[r.root()] = p.reached[r.root()]
	err := p.keepAt(r.root(), []*matchScope{top}, p.reached[r.root()])
	return p.nextSteps, err
}

// hopsToMatches returns the hops of a node that are on paths to matches.
func (p *pruner) hopsToMatches(n *node) []*node {
	return slices.DeleteFunc(slices.Clone(n.hops), func(hop *node) bool { return !p.hops[hop] })
}

// reachAll follows all hops on paths to matches, without pages. It takes one request per level and direction.
func (p *pruner) reachAll(ctx context.Context, steps []*step) error {
	for len(steps) > 0 {
		for _, s := range steps {
			s.ignoresPage = true
		}
		start := time.Now()
		if err := p.followSteps(ctx, steps); err != nil {
			return err
		}
		took := time.Since(start)
		var next []*step
		for _, s := range steps {
			p.record(s, took)
			p.reached[s.node] = s.found
			p.traversals[s.node] = newTraversal(s.node)
			p.traversals[s.node].links = s.links
			next = append(next, newSteps(s.found, p.hopsToMatches(s.node))...)
		}
		steps = next
	}
	return nil
}

// leadingTo returns the concepts of a node that lead to a match of a scope, or are a match.
func (p *pruner) leadingTo(ctx context.Context, s *matchScope, n *node) (idSet, error) {
	leading := idSet{}
	s.leading[n] = leading
	add := func(found []graph.ID) {
		for _, id := range found {
			leading[id] = true
		}
	}
	for _, hop := range n.hops {
		if s.hops[hop] && p.traversals[hop] != nil {
			below, err := p.leadingTo(ctx, s, hop)
			if err != nil {
				return nil, err
			}
			add(p.traversals[hop].startsLeadingTo(below).sorted())
		}
	}
	for _, inner := range s.inner {
		if inner.ancestor == n {
			below, err := p.leadingTo(ctx, inner, n)
			if err != nil {
				return nil, err
			}
			passed, err := p.check(ctx, below.sorted(), intersect(p.sizes.operandsOf(inner.where.operands, n)))
			if err != nil {
				return nil, err
			}
			inner.passed = setOf(passed)
			add(passed)
		}
	}
	var matches []graph.Set
	for _, m := range s.matches {
		if m.node == n {
			matches = append(matches, m.set)
		}
	}
	if len(matches) == 0 {
		return leading, nil
	}
	found, err := p.check(ctx, p.reached[n].minus(leading).sorted(), union(matches...))
	add(found)
	return leading, err
}

// keepAt adds to the answer the connections below a node that the given scopes need. kept holds the concepts of the node
// that belong to the answer.
func (p *pruner) keepAt(n *node, scopes []*matchScope, kept idSet) error {
	for i := 0; i < len(scopes); i++ { // the loop appends the inner scopes to scopes
		for _, inner := range scopes[i].inner {
			if inner.ancestor == n {
				inner.kept[n] = scopes[i].kept[n].intersect(inner.passed)
				scopes = append(scopes, inner)
			}
		}
	}
	others := slices.Clone(n.selectors)
	for _, hop := range n.hops {
		switch {
		case hop.Include || hop.Aggregate == Count:
			others = append(others, hop)
		case p.traversals[hop] != nil:
			if err := p.keepHop(hop, scopes); err != nil {
				return err
			}
		}
	}
	p.nextSteps = append(p.nextSteps, newSteps(kept, others)...)
	return nil
}

// keepHop adds to the answer the connections of a hop that the scopes at its parent need, and continues below the hop.
func (p *pruner) keepHop(hop *node, parentScopes []*matchScope) error {
	var scopes []*matchScope
	var needed []idSet // the connections that each scope needs
	all := idSet{}
	for _, s := range parentScopes {
		if !s.hops[hop] {
			continue
		}
		links := idSet{}
		for _, c := range p.traversals[hop].linksBetween(s.kept[hop.parent], s.leading[hop]) {
			links[c.ID], all[c.ID] = true, true
		}
		scopes, needed = append(scopes, s), append(needed, links)
	}
	kept := idSet{}
	links := p.cutLinks(hop, all)
	for i, s := range scopes {
		s.kept[hop] = idSet{}
		for _, c := range links {
			if needed[i][c.ID] {
				far := farOf(c, hop.direction())
				s.kept[hop][far], kept[far] = true, true
			}
		}
	}
	if err := p.addLinks(hop, links); err != nil {
		return err
	}
	return p.keepAt(hop, scopes, kept)
}

// cutLinks returns the needed connections of a hop. For a paged hop it returns one page for each near concept, and
// counts the connections of each.
func (p *pruner) cutLinks(hop *node, needed idSet) []graph.Connection {
	var links []graph.Connection
	for _, c := range p.traversals[hop].links {
		if needed[c.ID] {
			links = append(links, c)
		}
	}
	if !hop.Limit {
		return links
	}
	byNear := map[graph.ID][]graph.ID{}
	for _, c := range links {
		near := nearOf(c, hop.direction())
		byNear[near] = append(byNear[near], c.ID)
	}
	onPage := idSet{}
	for near, ids := range byNear {
		if hop.ConnectionID == 0 {
			p.addCount(near, hop.typ, len(ids))
		}
		for _, id := range hop.cutPage(ids) {
			onPage[id] = true
		}
	}
	return slices.DeleteFunc(links, func(c graph.Connection) bool { return !onPage[c.ID] })
}
