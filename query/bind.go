package query

import (
	"context"

	"github.com/weft-graph/weft/graph"
)

// A bound query is one whose names stand for something.
type bound struct {
	nodes []*node     // in the order in which they are written; the root is the first
	where *expression // nil lets every root pass
}

func (b *bound) root() *node { return b.nodes[0] }

// A node is a node of a query with the types that it names.
type node struct {
	*Query
	above     *node // nil for the root
	hops      []*node
	selectors []*node
	// typ is what a root is an instance of, or the type of a hop's connections: 0 for Self. It is known if
	// somebody made it.
	typ   graph.ID
	known bool
}

// bind resolves the names of a query, all with one question.
func bind(ctx context.Context, r graph.Reader, q *Query) (*bound, error) {
	t := layOut(q)
	where, filtered, err := t.clause()
	if err != nil {
		return nil, err
	}
	types, err := resolve(ctx, r, q)
	if err != nil {
		return nil, err
	}
	b := &bound{}
	for i, q := range t.nodes {
		b.nodes = append(b.nodes, types.node(q))
		if above := t.above[i]; above >= 0 {
			b.nodes[i].below(b.nodes[above])
		}
	}
	b.root().typ = types.named[q.Type]
	b.root().known = b.root().typ != 0
	if filtered {
		b.where = b.expression(where, types)
	}
	return b, nil
}

func (t typeIDs) node(q *Query) *node {
	n := &node{Query: q}
	n.typ, n.known = t.of(q)
	for _, name := range q.Selectors {
		s := t.node(&Query{Connection: name})
		s.above = n
		n.selectors = append(n.selectors, s)
	}
	return n
}

func (n *node) below(above *node) {
	n.above = above
	above.hops = append(above.hops, n)
}

// reachable says whether somebody made all the connections that lead from the root to the node.
func (n *node) reachable() bool {
	return n.above == nil || n.known && n.above.reachable()
}

func (n *node) self() bool { return n.Connection == Self }

// overall says whether the hop brings numbers about all roots.
func (n *node) overall() bool { return n.Aggregate == Group || n.Aggregate == Distinct }

func (n *node) direction() graph.Direction {
	if n.Reverse {
		return graph.In
	}
	return graph.Out
}

// An expression is a clause with what its filters are true of. It is true or false of a concept of a node.
type expression struct {
	clause  clause
	of      []*expression
	matches []match // of a Leaf
	under   *node   // of ExAnd
}

// A match is what a filter is true of where walks to a node come upon it.
type match struct {
	node *node
	set  graph.Set
}

func (b *bound) expression(c clause, types typeIDs) *expression {
	e := &expression{clause: c, under: b.nodes[c.under]}
	named := map[string]bool{}
	for _, side := range c.sides() {
		if side.op == Leaf { // said twice, it is as true as once
			name := side.tests[0].filter.Name
			if named[name] {
				continue
			}
			named[name] = true
		}
		e.of = append(e.of, b.expression(side, types))
	}
	for _, t := range c.tests {
		if n := b.nodes[t.node]; n.reachable() {
			e.matches = append(e.matches, match{n, n.narrowed(types.set(t.filter))})
		}
	}
	return e
}

// sides are those of a clause. What must all not be true of one concept is one NOT.
func (c clause) sides() []clause {
	if c.op != And && c.op != ExAnd {
		return c.of
	}
	var sides, not []clause
	for _, side := range c.of {
		if side.op == Not {
			not = append(not, side.of...)
		} else {
			sides = append(sides, side)
		}
	}
	switch len(not) {
	case 0:
	case 1:
		sides = append(sides, clause{op: Not, of: not})
	default:
		sides = append(sides, clause{op: Not, of: []clause{{op: Or, of: not}}})
	}
	return sides
}

// set is what a filter is true of, wherever it is.
func (t typeIDs) set(f Filter) graph.Set {
	where, compared, err := f.Predicate()
	if err != nil { // which the clause would have said
		return graph.These{}
	}
	if name, ok := f.NamedType(); ok {
		where.Number = int64(t.named[name])
	}
	typ := t.named[f.Type]
	switch {
	case f.Special() && !compared:
		return graph.Instances{}
	case f.Special():
		return picked(where)
	case f.Type != "" && typ == 0:
		return graph.These{}
	case compared:
		return graph.Instances{Type: typ, Where: &where}
	default:
		return graph.Instances{Type: typ}
	}
}

// narrowed is what of a set there may be at the node. What roots are is known: a store finds instances of a type sooner than of any.
func (n *node) narrowed(set graph.Set) graph.Set {
	of, ok := set.(graph.Instances)
	if !ok || of.Type != 0 || of.Where == nil || n.above != nil || len(n.ConceptIDs) > 0 {
		return set
	}
	of.Type = n.typ
	return of
}

// picked is what a predicate on a special field is true of.
func picked(where graph.Predicate) graph.Set {
	if where.Op == graph.Equal && where.Field == graph.FieldID {
		return graph.These{graph.ID(where.Number)}
	}
	return graph.Instances{Where: &where}
}
