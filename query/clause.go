package query

import (
	"maps"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// A clause is a Logic whose names are bound to filters and nodes.
type clause struct {
	op       LogicOp
	operands []clause
	tests    []test // for Leaf: alternative tests
	ancestor int    // for ExAnd: the node whose concepts all operands must share
}

// A test is a filter on a node.
type test struct {
	filter Filter
	node   int
}

// bindLogic binds the logic expression of the root to the tree. Without an expression ok is false. The errors are those of
// Query.Expression, Invalid for a filter in the logic or an ancestor that does not fit the tree, and TooLarge for more than
// MaxFilterTests tests.
func (t *queryTree) bindLogic() (c clause, ok bool, err error) {
	logic, ok, err := t.nodes[0].Expression()
	if !ok {
		return clause{}, false, err
	}
	b := clauseBinder{queryTree: t, filters: map[string][]Filter{}, tests: map[string][]test{}, testsLeft: MaxFilterTests}
	for _, f := range t.nodes[0].Filters {
		b.filters[f.Name] = append(b.filters[f.Name], f)
	}
	c, _, err = b.bindClause(logic)
	return c, err == nil, err
}

// A clauseBinder binds a logic expression.
type clauseBinder struct {
	*queryTree
	filters   map[string][]Filter
	tests     map[string][]test // keyed by name of the filter
	testsLeft int
}

// A clauseSpan lists the nodes that a clause refers to. The ancestor of an enclosing EXAND must be above all of them.
type clauseSpan struct {
	nodes     []int
	ancestors map[string]bool // names in Query.Ancestor
}

// bindClause binds an expression and returns the nodes that it refers to.
func (b *clauseBinder) bindClause(l Logic) (clause, clauseSpan, error) {
	c, s := clause{op: l.Op}, clauseSpan{ancestors: map[string]bool{}}
	if l.Op == Leaf {
		var err error
		c.tests, err = b.testsOf(l.Filter)
		for _, t := range c.tests {
			s.nodes = append(s.nodes, t.node)
			if name := b.nodes[t.node].Ancestor; name != "" {
				s.ancestors[name] = true
			}
		}
		return c, s, err
	}
	for _, o := range l.Of {
		operand, span, err := b.bindClause(o)
		if err != nil {
			return clause{}, span, err
		}
		c.operands = append(c.operands, operand)
		s.nodes = append(s.nodes, span.nodes...)
		maps.Copy(s.ancestors, span.ancestors)
	}
	if l.Op != ExAnd {
		return c, s, nil
	}
	ancestor, err := b.findAncestor(s)
	c.ancestor = ancestor
	return c, clauseSpan{nodes: []int{ancestor}}, err
}

// testsOf returns the tests of the filters with a name. Several filters may share a name, and so may several nodes.
func (b *clauseBinder) testsOf(name string) ([]test, error) {
	if _, known := b.tests[name]; !known {
		for _, f := range b.filters[name] {
			if err := b.checkFilter(f); err != nil {
				return nil, err
			}
			if len(b.byName[f.On]) > b.testsLeft {
				return nil, tooManyTests()
			}
			for _, node := range b.byName[f.On] {
				b.tests[name] = append(b.tests[name], test{f, node})
			}
		}
	}
	if b.testsLeft -= len(b.tests[name]); b.testsLeft < 0 {
		return nil, tooManyTests()
	}
	return b.tests[name], nil
}

func tooManyTests() error {
	return graph.Errorf(graph.TooLarge, "the logic puts more than %d filters on nodes", MaxFilterTests)
}

// checkFilter returns an error for a filter on an unknown node or an aggregate, and for a malformed filter.
func (b *clauseBinder) checkFilter(f Filter) error {
	if len(b.byName[f.On]) == 0 {
		return graph.Errorf(graph.Invalid, "filter %q is on %q, which names no node", graph.Clip(f.Name), graph.Clip(f.On))
	}
	for _, node := range b.byName[f.On] {
		if b.nodes[node].Aggregate != "" {
			return graph.Errorf(graph.Invalid, "filter %q is on %q, an aggregate; put it on a separate hop", graph.Clip(f.Name), graph.Clip(f.On))
		}
	}
	_, _, err := f.Predicate()
	return err
}

// findAncestor returns the node whose concepts the operands of an EXAND share: the lowest common ancestor of their
// nodes, or the node above it that Query.Ancestor names.
func (b *clauseBinder) findAncestor(s clauseSpan) (int, error) {
	shared := b.lowestCommonAncestor(s.nodes)
	names := slices.Sorted(maps.Keys(s.ancestors))
	switch len(names) {
	case 0:
		return shared, nil
	case 1:
	default:
		return 0, graph.Errorf(graph.Invalid, "an EXAND has one ancestor; its nodes name %q and %q", graph.Clip(names[0]), graph.Clip(names[1]))
	}
	for node := shared; node >= 0; node = b.parents[node] {
		if b.nodes[node].Name == names[0] {
			return node, nil
		}
	}
	return 0, graph.Errorf(graph.Invalid, "ancestor %q names no node above all operands of its EXAND", graph.Clip(names[0]))
}
