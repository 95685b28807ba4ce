package querytest

import (
	"cmp"
	"slices"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/query"
)

// withoutUnknown returns the logic without names that no filter has. If nothing remains, ok is false.
func (e *evaluator) withoutUnknown(l query.Logic) (query.Logic, bool) {
	if l.Op == query.Leaf {
		return l, slices.ContainsFunc(e.root.Filters, func(f query.Filter) bool { return f.Name == l.Filter })
	}
	var operands []query.Logic
	for _, operand := range l.Of {
		if operand, ok := e.withoutUnknown(operand); ok {
			operands = append(operands, operand)
		}
	}
	if len(operands) == 1 && l.Op != query.Not {
		return operands[0], true
	}
	l.Of = operands
	return l, len(operands) > 0
}

// isTrue reports whether the logic holds for a concept of a node. The node must be at or above the nodes of all filters in
// the logic.
func (e *evaluator) isTrue(l query.Logic, node *query.Query, id graph.ID) bool {
	switch l.Op {
	case query.And:
		return !slices.ContainsFunc(l.Of, func(operand query.Logic) bool { return !e.isTrue(operand, node, id) })
	case query.Or:
		return slices.ContainsFunc(l.Of, func(operand query.Logic) bool { return e.isTrue(operand, node, id) })
	case query.Not:
		return !e.isTrue(l.Of[0], node, id)
	case query.ExAnd:
		ancestor := e.ancestor(l)
		return slices.ContainsFunc(e.walk(node, ancestor, id), func(id graph.ID) bool {
			return !slices.ContainsFunc(l.Of, func(operand query.Logic) bool { return !e.isTrue(operand, ancestor, id) })
		})
	default:
		for _, f := range e.filters(l) {
			for _, on := range e.nodesOf(f) {
				if slices.ContainsFunc(e.walk(node, on, id), func(id graph.ID) bool { return e.holds(f, id) }) {
					return true
				}
			}
		}
		return false
	}
}

// filters returns the filters with the name of a leaf.
func (e *evaluator) filters(leaf query.Logic) []query.Filter {
	var found []query.Filter
	for _, f := range e.root.Filters {
		if f.Name == leaf.Filter {
			found = append(found, f)
		}
	}
	return found
}

func (e *evaluator) nodesOf(f query.Filter) []*query.Query {
	if f.On == "" {
		return []*query.Query{e.root}
	}
	return slices.DeleteFunc(slices.Clone(e.nodes), func(node *query.Query) bool { return node.Name != f.On })
}

// ancestor returns the node whose concepts the operands of an EXAND share.
func (e *evaluator) ancestor(l query.Logic) *query.Query {
	below, name := e.nodesBelow(l.Of)
	lowest := e.root
	for _, node := range e.nodes { // parents come first
		if (name == "" || node.Name == name) && !slices.ContainsFunc(below, func(b *query.Query) bool { return !e.isAtOrBelow(b, node) }) {
			lowest = node
		}
	}
	return lowest
}

// nodesBelow returns the nodes that must be at or below the ancestor of an EXAND with the given operands, and the
// name of the ancestor.
func (e *evaluator) nodesBelow(operands []query.Logic) (nodes []*query.Query, name string) {
	for _, operand := range operands {
		switch operand.Op {
		case query.ExAnd:
			nodes = append(nodes, e.ancestor(operand))
		case query.Leaf:
			for _, f := range e.filters(operand) {
				for _, node := range e.nodesOf(f) {
					nodes = append(nodes, node)
					name = cmp.Or(node.Ancestor, name)
				}
			}
		default:
			nodesOfOperand, named := e.nodesBelow(operand.Of)
			nodes = append(nodes, nodesOfOperand...)
			name = cmp.Or(named, name)
		}
	}
	return nodes, name
}

// isAtOrBelow reports whether ancestor is node or above it.
func (e *evaluator) isAtOrBelow(node, ancestor *query.Query) bool {
	for ; node != nil; node = e.parent[node] {
		if node == ancestor {
			return true
		}
	}
	return false
}

// holds reports whether a concept satisfies a filter.
func (e *evaluator) holds(f query.Filter, id graph.ID) bool {
	c := e.concept(id)
	if f.Type != "" && !f.IsSpecial() && (c.Type != e.typeNamed(f.Type) || c.Category != graph.CategoryInstance) {
		return false
	}
	p, compares, err := f.Predicate()
	if e.failed(err) || !compares {
		return err == nil
	}
	if name, ok := f.NamedType(); ok {
		p.Number = int64(e.typeNamed(name))
	}
	return p.Holds(c)
}

// walk returns the concepts of the node to that can be reached from a concept of the node from. The node from must be at or above to.
func (e *evaluator) walk(from, to *query.Query, id graph.ID) []graph.ID {
	if from == to {
		return []graph.ID{id}
	}
	var found []graph.ID
	for _, near := range e.walk(from, e.parent[to], id) {
		found = append(found, e.targetsOfHop(to, near)...)
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// targetsOfHop returns the concepts to which a hop leads from one concept, without pages.
func (e *evaluator) targetsOfHop(hop *query.Query, id graph.ID) []graph.ID {
	var found []graph.ID
	for _, l := range e.linksOfHop(hop, id) {
		found = append(found, far(hop, l))
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// linksOfHop returns the connections that a hop follows from one concept, up to its depth.
func (e *evaluator) linksOfHop(hop *query.Query, id graph.ID) []graph.Connection {
	var found []graph.Connection
	seen := map[graph.ID]bool{id: true}
	near := []graph.ID{id}
	for range maxPathLength(hop) {
		var next []graph.ID
		for _, at := range near {
			for _, l := range e.linksAt(hop, id, at) {
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

// unboundedPath is longer than any path in a generated graph.
const unboundedPath = 64

// maxPathLength returns the largest number of consecutive connections of a hop.
func maxPathLength(hop *query.Query) int {
	if hop.Connection == query.Self && !hop.Direct {
		return unboundedPath
	}
	return max(hop.Depth, 1)
}

// linksAt returns the connections of a hop from the concept at, which was reached from start.
func (e *evaluator) linksAt(hop *query.Query, start, at graph.ID) []graph.Connection {
	links := graph.Links{Of: []graph.ID{at}}
	if hop.Reverse {
		links.Direction = graph.In
	}
	var typ graph.ID
	switch {
	case hop.Connection == query.Self && e.concept(at).Value != "": // a value has no internal connections
	case hop.Connection == query.Self:
		typ = start
	case hop.Legacy:
		found, err := e.r.ConceptsByValue(e.ctx, []graph.ValueKey{{Value: hop.Connection, Type: graph.TypeConnection}})
		for _, c := range found {
			typ = c.ID
		}
		e.failed(err)
	default:
		typ = e.typeNamed(hop.Connection)
	}
	if typ == 0 {
		return nil
	}
	links.Types = []graph.ID{typ}
	found, err := e.r.Links(e.ctx, links)
	e.failed(err)
	return found
}

// far returns the end to which a hop follows a connection.
func far(hop *query.Query, l graph.Connection) graph.ID {
	if hop.Reverse {
		return l.From
	}
	return l.To
}
