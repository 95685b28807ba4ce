package query

import (
	"context"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// A need is a part of the logic whose matches belong to the answer: those of one EXAND, or those of none.
type need struct {
	under   *node       // where the walks to the matches begin
	where   *expression // the EXAND, which must be true there; nil for the part outside of all
	matches []match
	named   map[string]bool // the filters they are of
	inner   []*need
	along   map[*node]bool // the hops that these walks take, also to what inner needs are under

	good   map[*node]idSet // the concepts that lead to a match
	passed idSet           // those of under that also pass
	kept   map[*node]idSet // those of them that walks come upon
}

// needOf lists what an expression needs that is outside of NOT.
func (e *expression) needOf(n *need, not bool) {
	switch e.clause.op {
	case Leaf:
		if name := e.clause.tests[0].filter.Name; !not && !n.named[name] {
			n.matches = append(n.matches, e.matches...)
			n.named[name] = true
		}
	case ExAnd:
		inner := newNeed(e.under, e)
		e.needOfSides(inner, not)
		if len(inner.matches) > 0 || len(inner.inner) > 0 {
			n.inner = append(n.inner, inner)
		}
	case Not:
		e.needOfSides(n, !not)
	case And, Or:
		e.needOfSides(n, not)
	}
}

func (e *expression) needOfSides(n *need, not bool) {
	for _, side := range e.of {
		side.needOf(n, not)
	}
}

func newNeed(under *node, where *expression) *need {
	return &need{
		under: under, where: where, named: map[string]bool{}, along: map[*node]bool{}, good: map[*node]idSet{}, kept: map[*node]idSet{},
	}
}

// ways notes the hops to all matches, here and in the set of all needs.
func (n *need) ways(all map[*node]bool) {
	way := func(to *node) {
		for ; to != n.under; to = to.above {
			n.along[to], all[to] = true, true
		}
	}
	for _, m := range n.matches {
		way(m.node)
	}
	for _, inner := range n.inner {
		if inner.under.reachable() {
			way(inner.under)
			inner.ways(all)
		}
	}
}

// A keeper finds what of a filtered answer is kept. It follows the ways to all matches to the end first, and then drops
// what does not lead there.
type keeper struct {
	*run
	along  map[*node]bool
	came   map[*node]idSet // all that the ways came upon
	trails map[*node]*trail
	steps  []*step // what leads on from what is kept
}

// keep brings what of the ways to matches belongs to the answer, and returns the steps that lead on from there.
func (r *run) keep(ctx context.Context, roots []graph.ID) ([]*step, error) {
	if len(roots) == 0 {
		return nil, nil
	}
	k := keeper{
		run: r, along: map[*node]bool{}, came: map[*node]idSet{r.root(): setOf(roots)}, trails: map[*node]*trail{},
	}
	top := newNeed(r.root(), nil)
	r.where.needOf(top, false)
	top.ways(k.along)
	if err := k.comeUpon(ctx, newSteps(k.came[r.root()], k.ways(r.root()))); err != nil {
		return nil, err
	}
	if _, err := k.good(ctx, top, r.root()); err != nil {
		return nil, err
	}
	top.kept[r.root()] = k.came[r.root()]
	err := k.keepAt(r.root(), []*need{top}, k.came[r.root()])
	return k.steps, err
}

// ways are the hops on the way to matches that are below a node.
func (k *keeper) ways(at *node) []*node {
	return slices.DeleteFunc(slices.Clone(at.hops), func(hop *node) bool { return !k.along[hop] })
}

// comeUpon follows all ways to their end, without pages.
func (k *keeper) comeUpon(ctx context.Context, steps []*step) error {
	for len(steps) > 0 {
		for _, s := range steps {
			s.whole = true
		}
		if err := k.follow(ctx, steps); err != nil {
			return err
		}
		var next []*step
		for _, s := range steps {
			k.took(s)
			k.came[s.node] = s.found
			k.trails[s.node] = trailOf(s.node)
			k.trails[s.node].links = s.links
			next = append(next, newSteps(s.found, k.ways(s.node))...)
		}
		steps = next
	}
	return nil
}

// good finds the concepts of a node that lead to a match of a need.
func (k *keeper) good(ctx context.Context, n *need, at *node) (idSet, error) {
	good := idSet{}
	n.good[at] = good
	add := func(found []graph.ID) {
		for _, id := range found {
			good[id] = true
		}
	}
	for _, hop := range at.hops {
		if n.along[hop] && k.trails[hop] != nil {
			below, err := k.good(ctx, n, hop)
			if err != nil {
				return nil, err
			}
			add(k.trails[hop].leading(below).sorted())
		}
	}
	for _, inner := range n.inner {
		if inner.under == at {
			below, err := k.good(ctx, inner, at)
			if err != nil {
				return nil, err
			}
			passed, err := k.check(ctx, below.sorted(), both(k.sizes.sides(inner.where.of, at)))
			if err != nil {
				return nil, err
			}
			inner.passed = setOf(passed)
			add(passed)
		}
	}
	var matches []graph.Set
	for _, m := range n.matches {
		if m.node == at {
			matches = append(matches, m.set)
		}
	}
	if len(matches) == 0 {
		return good, nil
	}
	found, err := k.check(ctx, k.came[at].without(good).sorted(), either(matches...))
	add(found)
	return good, err
}

// keepAt brings what the needs that have come to a node need from there on. It is the concepts that they came upon
// that are kept.
func (k *keeper) keepAt(at *node, needs []*need, kept idSet) error {
	for i := 0; i < len(needs); i++ { // which grows
		for _, inner := range needs[i].inner {
			if inner.under == at {
				inner.kept[at] = needs[i].kept[at].and(inner.passed)
				needs = append(needs, inner)
			}
		}
	}
	on := slices.Clone(at.selectors)
	for _, hop := range at.hops {
		switch {
		case hop.Include || hop.Aggregate == Count:
			on = append(on, hop)
		case k.trails[hop] != nil:
			if err := k.keepAlong(hop, needs); err != nil {
				return err
			}
		}
	}
	k.steps = append(k.steps, newSteps(kept, on)...)
	return nil
}

// keepAlong brings what the needs at the node above need of a hop.
func (k *keeper) keepAlong(hop *node, above []*need) error {
	var needs []*need
	var needed []idSet // connections of each
	all := idSet{}
	for _, n := range above {
		if !n.along[hop] {
			continue
		}
		links := idSet{}
		for _, c := range k.trails[hop].needed(n.kept[hop.above], n.good[hop]) {
			links[c.ID], all[c.ID] = true, true
		}
		needs, needed = append(needs, n), append(needed, links)
	}
	kept := idSet{}
	links := k.cut(hop, all)
	for i, n := range needs {
		n.kept[hop] = idSet{}
		for _, c := range links {
			if needed[i][c.ID] {
				far := farOf(c, hop.direction())
				n.kept[hop][far], kept[far] = true, true
			}
		}
	}
	if err := k.bring(hop, links); err != nil {
		return err
	}
	return k.keepAt(hop, needs, kept)
}

// cut is the connections of a hop that are needed, or, of each concept above, a page of them.
func (k *keeper) cut(hop *node, needed idSet) []graph.Connection {
	var links []graph.Connection
	for _, c := range k.trails[hop].links {
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
			k.count(near, hop.typ, len(ids))
		}
		for _, id := range hop.cut(ids) {
			onPage[id] = true
		}
	}
	return slices.DeleteFunc(links, func(c graph.Connection) bool { return !onPage[c.ID] })
}
