package query

import (
	"maps"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// A tree is a query laid out flat, in the order in which it is written: the root is 0.
type tree struct {
	nodes []*Query
	above []int // the node above each; -1 for the root
	level []int
	named map[string][]int // by Name; what filters call "" is the root alone
}

func layOut(root *Query) *tree {
	t := &tree{named: map[string][]int{}}
	t.add(root, -1, 0)
	t.named[""] = []int{0}
	return t
}

func (t *tree) add(node *Query, above, level int) {
	n := len(t.nodes)
	t.nodes, t.above, t.level = append(t.nodes, node), append(t.above, above), append(t.level, level)
	t.named[node.Name] = append(t.named[node.Name], n)
	for i := range node.Hops {
		t.add(&node.Hops[i], n, level+1)
	}
}

// shared is the lowest node that is above, or is, each of several.
func (t *tree) shared(nodes []int) int {
	a := nodes[0]
	for _, b := range nodes[1:] {
		for a != b {
			if t.level[a] < t.level[b] {
				b = t.above[b]
			} else {
				a = t.above[a]
			}
		}
	}
	return a
}

// A clause is a Logic with what its names stand for.
type clause struct {
	op    LogicOp
	of    []clause
	tests []test // of a Leaf, which is true if one of them is
	under int    // of ExAnd: the node of the concepts that its sides are true under
}

// A test is a filter on a node.
type test struct {
	filter Filter
	node   int
}

// clause is what the logic of the root says about the tree. It is not ok if that is nothing. The errors are those of
// Expression, of the filters that the logic mentions, and of the ancestors that nodes name.
func (t *tree) clause() (c clause, ok bool, err error) {
	logic, ok, err := t.nodes[0].Expression()
	if !ok {
		return clause{}, false, err
	}
	b := binder{tree: t, filters: map[string][]Filter{}, tests: map[string][]test{}, left: MaxTests}
	for _, f := range t.nodes[0].Filters {
		b.filters[f.Name] = append(b.filters[f.Name], f)
	}
	c, _, err = b.clause(logic)
	return c, err == nil, err
}

type binder struct {
	*tree
	filters map[string][]Filter
	tests   map[string][]test // by the name of their filter
	left    int
}

// A span is where a clause looks: an EXAND must be above it.
type span struct {
	nodes     []int
	ancestors map[string]bool // as the nodes name them
}

func (b *binder) clause(l Logic) (clause, span, error) {
	c, s := clause{op: l.Op}, span{ancestors: map[string]bool{}}
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
	for _, side := range l.Of {
		of, span, err := b.clause(side)
		if err != nil {
			return clause{}, span, err
		}
		c.of = append(c.of, of)
		s.nodes = append(s.nodes, span.nodes...)
		maps.Copy(s.ancestors, span.ancestors)
	}
	if l.Op != ExAnd {
		return c, s, nil
	}
	under, err := b.ancestor(s)
	c.under = under
	return c, span{nodes: []int{under}}, err
}

// testsOf are what the name of a filter stands for, wherever it is mentioned.
func (b *binder) testsOf(name string) ([]test, error) {
	if _, known := b.tests[name]; !known {
		for _, f := range b.filters[name] {
			if err := b.check(f); err != nil {
				return nil, err
			}
			if len(b.named[f.On]) > b.left {
				return nil, tooManyTests()
			}
			for _, node := range b.named[f.On] {
				b.tests[name] = append(b.tests[name], test{f, node})
			}
		}
	}
	if b.left -= len(b.tests[name]); b.left < 0 {
		return nil, tooManyTests()
	}
	return b.tests[name], nil
}

func tooManyTests() error {
	return graph.Errorf(graph.TooLarge, "the logic puts more than %d filters on nodes", MaxTests)
}

func (b *binder) check(f Filter) error {
	if len(b.named[f.On]) == 0 {
		return graph.Errorf(graph.Invalid, "filter %q is on %q, which names no node", graph.Clip(f.Name), graph.Clip(f.On))
	}
	for _, node := range b.named[f.On] {
		if b.nodes[node].Aggregate != "" {
			return graph.Errorf(graph.Invalid, "filter %q is on %q, an aggregate; put it on a hop beside that", graph.Clip(f.Name), graph.Clip(f.On))
		}
	}
	_, _, err := f.Predicate()
	return err
}

// ancestor is the node that the sides of an EXAND are looked for under.
func (b *binder) ancestor(s span) (int, error) {
	shared := b.shared(s.nodes)
	names := slices.Sorted(maps.Keys(s.ancestors))
	switch len(names) {
	case 0:
		return shared, nil
	case 1:
	default:
		return 0, graph.Errorf(graph.Invalid, "an EXAND has one ancestor; its nodes name %q and %q", graph.Clip(names[0]), graph.Clip(names[1]))
	}
	for node := shared; node >= 0; node = b.above[node] {
		if b.nodes[node].Name == names[0] {
			return node, nil
		}
	}
	return 0, graph.Errorf(graph.Invalid, "ancestor %q names no node above all sides of its EXAND", graph.Clip(names[0]))
}
