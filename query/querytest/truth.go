package querytest

import (
	"cmp"
	"slices"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/query"
)

// mentioned is the logic without the names that no filter has. It is not ok if nothing remains.
func (o *obvious) mentioned(l query.Logic) (query.Logic, bool) {
	if l.Op == query.Leaf {
		return l, slices.ContainsFunc(o.root.Filters, func(f query.Filter) bool { return f.Name == l.Filter })
	}
	var sides []query.Logic
	for _, side := range l.Of {
		if side, ok := o.mentioned(side); ok {
			sides = append(sides, side)
		}
	}
	if len(sides) == 1 && l.Op != query.Not {
		return sides[0], true
	}
	l.Of = sides
	return l, len(sides) > 0
}

// true says whether a logic is true of a concept of a node that is above, or is, all nodes of its filters.
func (o *obvious) true(l query.Logic, node *query.Query, id graph.ID) bool {
	switch l.Op {
	case query.And:
		return !slices.ContainsFunc(l.Of, func(side query.Logic) bool { return !o.true(side, node, id) })
	case query.Or:
		return slices.ContainsFunc(l.Of, func(side query.Logic) bool { return o.true(side, node, id) })
	case query.Not:
		return !o.true(l.Of[0], node, id)
	case query.ExAnd:
		ancestor := o.ancestor(l)
		return slices.ContainsFunc(o.walk(node, ancestor, id), func(id graph.ID) bool {
			return !slices.ContainsFunc(l.Of, func(side query.Logic) bool { return !o.true(side, ancestor, id) })
		})
	default:
		for _, f := range o.filters(l) {
			for _, on := range o.nodesOf(f) {
				if slices.ContainsFunc(o.walk(node, on, id), func(id graph.ID) bool { return o.holds(f, id) }) {
					return true
				}
			}
		}
		return false
	}
}

// filters are what a leaf mentions.
func (o *obvious) filters(leaf query.Logic) []query.Filter {
	var found []query.Filter
	for _, f := range o.root.Filters {
		if f.Name == leaf.Filter {
			found = append(found, f)
		}
	}
	return found
}

func (o *obvious) nodesOf(f query.Filter) []*query.Query {
	if f.On == "" {
		return []*query.Query{o.root}
	}
	return slices.DeleteFunc(slices.Clone(o.nodes), func(node *query.Query) bool { return node.Name != f.On })
}

// ancestor is the node under whose concepts the sides of an EXAND are looked for.
func (o *obvious) ancestor(l query.Logic) *query.Query {
	below, name := o.below(l.Of)
	lowest := o.root
	for _, node := range o.nodes { // each comes after those above it
		if (name == "" || node.Name == name) && !slices.ContainsFunc(below, func(b *query.Query) bool { return !o.onOrBelow(b, node) }) {
			lowest = node
		}
	}
	return lowest
}

// below are the nodes that the ancestor of some sides is above, and the name they give it.
func (o *obvious) below(sides []query.Logic) (nodes []*query.Query, name string) {
	for _, side := range sides {
		switch side.Op {
		case query.ExAnd:
			nodes = append(nodes, o.ancestor(side))
		case query.Leaf:
			for _, f := range o.filters(side) {
				for _, node := range o.nodesOf(f) {
					nodes = append(nodes, node)
					name = cmp.Or(node.Ancestor, name)
				}
			}
		default:
			more, named := o.below(side.Of)
			nodes = append(nodes, more...)
			name = cmp.Or(named, name)
		}
	}
	return nodes, name
}

func (o *obvious) onOrBelow(node, above *query.Query) bool {
	for ; node != nil; node = o.above[node] {
		if node == above {
			return true
		}
	}
	return false
}

// holds says whether a filter is true of a concept.
func (o *obvious) holds(f query.Filter, id graph.ID) bool {
	c := o.concept(id)
	if f.Type != "" && !f.Special() && (c.Type != o.typeNamed(f.Type) || c.Category != graph.CategoryInstance) {
		return false
	}
	p, compares, err := f.Predicate()
	if o.failed(err) || !compares {
		return err == nil
	}
	if name, ok := f.NamedType(); ok {
		p.Number = int64(o.typeNamed(name))
	}
	return p.Holds(c)
}

// walk returns the concepts of a node that a concept of a node above it, or of itself, leads to.
func (o *obvious) walk(from, to *query.Query, id graph.ID) []graph.ID {
	if from == to {
		return []graph.ID{id}
	}
	var found []graph.ID
	for _, near := range o.walk(from, o.above[to], id) {
		found = append(found, o.reached(to, near)...)
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// reached are the concepts that a hop leads to from one concept, without pages.
func (o *obvious) reached(hop *query.Query, id graph.ID) []graph.ID {
	var found []graph.ID
	for _, l := range o.within(hop, id) {
		found = append(found, far(hop, l))
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// within are the links that are as near to a concept as the hop reaches.
func (o *obvious) within(hop *query.Query, id graph.ID) []graph.Connection {
	var found []graph.Connection
	seen := map[graph.ID]bool{id: true}
	near := []graph.ID{id}
	for range reach(hop) {
		var next []graph.ID
		for _, at := range near {
			for _, l := range o.next(hop, id, at) {
				found = append(found, l)
				if to := far(hop, l); !seen[to] {
					seen[to] = true
					next = append(next, to)
				}
			}
		}
		near = next
	}
	return found
}

// farther than anything is in the graphs of tests.
const everywhere = 64

// reach is how many links a walk along a hop may have.
func reach(hop *query.Query) int {
	if hop.Connection == query.Self {
		return everywhere
	}
	return max(hop.Depth, 1)
}

// next are the links that lead on from a concept, come upon on the way from a concept of the node above.
func (o *obvious) next(hop *query.Query, start, at graph.ID) []graph.Connection {
	links := graph.Links{Of: []graph.ID{at}}
	if hop.Reverse {
		links.Direction = graph.In
	}
	var typ graph.ID
	switch {
	case hop.Connection == query.Self && o.concept(at).Value != "": // nothing is inside a text
	case hop.Connection == query.Self:
		typ = start
	case hop.Legacy:
		found, err := o.r.ConceptsByValue(o.ctx, []graph.ValueKey{{Value: hop.Connection, Type: graph.TypeConnection}})
		for _, c := range found {
			typ = c.ID
		}
		o.failed(err)
	default:
		typ = o.typeNamed(hop.Connection)
	}
	if typ == 0 {
		return nil
	}
	links.Types = []graph.ID{typ}
	found, err := o.r.Links(o.ctx, links)
	o.failed(err)
	return found
}

// far is where a hop leads along a link.
func far(hop *query.Query, l graph.Connection) graph.ID {
	if hop.Reverse {
		return l.From
	}
	return l.To
}
