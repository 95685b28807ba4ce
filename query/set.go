package query

import (
	"cmp"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// setAt returns the set of the concepts of a node for which the expression holds. It is built backwards: from the
// concepts that satisfy the filters, against the hops, to the node.
func (e *expression) setAt(n *node, s typeSizes) graph.Set {
	switch e.clause.op {
	case Leaf:
		var sets []graph.Set
		for _, m := range e.matches {
			sets = append(sets, walkBack(m.set, m.node, n))
		}
		return union(sets...)
	case And:
		return intersect(s.operandsOf(e.operands, n))
	case ExAnd:
		return walkBack(intersect(s.operandsOf(e.operands, e.ancestor)), e.ancestor, n)
	case Not:
		// A Complement may not be the first operand of an Intersection.
		return graph.Intersection{graph.Instances{}, graph.Complement{Of: e.operands[0].setAt(n, s)}}
	default: // Or
		var sets []graph.Set
		for _, o := range e.operands {
			sets = append(sets, o.setAt(n, s))
		}
		return union(sets...)
	}
}

// An operand is one expression of an AND or EXAND, converted to a set.
type operand struct {
	expr     *expression // nil for the type of the roots
	set      graph.Set   // a Complement for a NOT
	expected int         // estimated size; unbounded for a NOT; for a merged operand, the estimate of its first part
}

// operandsOf converts the expressions to operands at a node, in order of their estimated size. Operands that limit
// the values of the same type are merged into one.
func (s typeSizes) operandsOf(expressions []*expression, n *node) []*operand {
	var operands []*operand
	for _, e := range expressions {
		o := &operand{expr: e, expected: unbounded}
		if e.clause.op == Not {
			o.set = graph.Complement{Of: e.operands[0].setAt(n, s)}
		} else {
			o.set = e.setAt(n, s)
			o.expected = s.estimate(o.set)
		}
		operands = append(operands, o)
	}
	operands = mergeIntervals(operands)
	slices.SortStableFunc(operands, func(a, b *operand) int { return cmp.Compare(a.expected, b.expected) })
	return operands
}

// mergeIntervals merges operands that limit the values of the same type. A store then reads only the values between the
// limits, instead of all values beyond each of them.
func mergeIntervals(operands []*operand) []*operand {
	var kept []*operand
	byType := map[graph.ID]*operand{}
	for _, o := range operands {
		instances, ok := o.set.(graph.Instances)
		switch {
		case !ok || !isBounded(instances):
			kept = append(kept, o)
		case byType[instances.Type] == nil:
			byType[instances.Type] = o
			kept = append(kept, o)
		default:
			byType[instances.Type].intersectWith(o)
		}
	}
	return kept
}

// intersectWith replaces the operand with its intersection with another operand. Only operands that are Instances
// are merged, so an Intersection here is the result of an earlier call.
func (o *operand) intersectWith(other *operand) {
	if intersection, ok := o.set.(graph.Intersection); ok {
		o.expr.clause.operands = append(o.expr.clause.operands, other.expr.clause)
		intersection = append(intersection, other.set)
		o.set = intersection
		return
	}
	o.expr = &expression{clause: clause{op: And, operands: []clause{o.expr.clause, other.expr.clause}}}
	o.set = graph.Intersection{o.set, other.set}
}

// isBounded reports whether a set consists of the instances of a type whose values are limited on one side.
func isBounded(set graph.Set) bool {
	instances, ok := set.(graph.Instances)
	if !ok || instances.Type == 0 || instances.Where == nil || instances.Where.Field != graph.FieldValue {
		return false
	}
	return instances.Where.Op != graph.Equal && instances.Where.Op.SelectsRange()
}

// intersect returns the intersection of the operands that are not in except; without operands, the set of all concepts.
// An operand that is an Intersection contributes its members. A Complement does not come first.
func intersect(operands []*operand, except ...*operand) graph.Intersection {
	var all graph.Intersection
	for _, o := range operands {
		if slices.Contains(except, o) {
			continue
		}
		if intersection, ok := o.set.(graph.Intersection); ok {
			all = append(all, intersection...)
		} else {
			all = append(all, o.set)
		}
	}
	if len(all) == 0 {
		return graph.Intersection{graph.Instances{}}
	}
	if _, negated := all[0].(graph.Complement); negated {
		all = append(graph.Intersection{graph.Instances{}}, all...)
	}
	return all
}

// walkBack returns the concepts of the node ancestor from which the hops lead to a member of set. The members of set
// are concepts of the node descendant. If both nodes are the same, it returns set.
func walkBack(set graph.Set, descendant, ancestor *node) graph.Set {
	for n := descendant; n != ancestor; n = n.parent {
		set = n.hopKey().setLeadingTo(set)
	}
	return set
}

// isEverything reports whether a set contains all concepts.
func isEverything(s graph.Set) bool {
	instances, ok := s.(graph.Instances)
	return s == nil || ok && instances == graph.Instances{}
}

// canStream reports whether the members of a set can be found one at a time, so that the first few cost little. Most
// intersections cannot be streamed: the first operand may have many members that are not in the others.
func canStream(set graph.Set) bool {
	switch set := set.(type) {
	case graph.IDs, graph.Instances:
		return true
	case graph.Linked:
		return set.Depth <= 1 && (set.Far == nil || canStream(set.Far))
	case graph.Holders:
		return set.Of == nil || canStream(set.Of)
	case graph.Union:
		return !slices.ContainsFunc(set, func(operand graph.Set) bool { return !canStream(operand) })
	case graph.Intersection:
		return !slices.ContainsFunc(set, func(operand graph.Set) bool { return !isBounded(operand) })
	default:
		return false
	}
}

// setDepth returns the largest number of consecutive connections that must be followed to decide whether a concept
// is a member of the set.
func setDepth(set graph.Set) (depth int) {
	switch set := set.(type) {
	case graph.Linked:
		return max(set.Depth, 1) + setDepth(set.Far)
	case graph.Holders:
		return 1 + setDepth(set.Of)
	case graph.Complement:
		return setDepth(set.Of)
	case graph.Intersection:
		for _, operand := range set {
			depth = max(depth, setDepth(operand))
		}
	case graph.Union:
		for _, operand := range set {
			depth = max(depth, setDepth(operand))
		}
	}
	return depth
}
