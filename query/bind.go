package query

import (
	"context"

	"github.com/weft-graph/weft/graph"
)

// A boundQuery is a query with resolved type names and a logic expression over nodes.
type boundQuery struct {
	nodes  []*node     // in the order of the query; the root is first
	filter *expression // nil if every root passes
	order  []orderKey  // order of the roots; empty for the order of ids
	cursor *orderedRoot
}

func (b *boundQuery) root() *node { return b.nodes[0] }

// A node is a node of a query with its resolved type.
type node struct {
	*Query
	parent    *node // nil for the root
	hops      []*node
	selectors []*node
	// typ is the type of the roots, or of the connections of a hop (0 for Self). If the type does not exist, hasType
	// is false and the node has no results.
	typ     graph.ID
	hasType bool
}

// bind resolves the names of a query. It makes the requests of resolveTypes and no others.
func bind(ctx context.Context, r graph.Reader, q *Query) (*boundQuery, error) {
	t := flatten(q)
	where, filtered, err := t.bindLogic()
	if err != nil {
		return nil, err
	}
	types, err := resolveTypes(ctx, r, q)
	if err != nil {
		return nil, err
	}
	b := &boundQuery{}
	for i, q := range t.nodes {
		b.nodes = append(b.nodes, types.newNode(q))
		if parent := t.parents[i]; parent >= 0 {
			b.nodes[i].attachTo(b.nodes[parent])
		}
	}
	b.root().typ = types.named[q.Type]
	b.root().hasType = b.root().typ != 0
	b.order = types.bindOrder(q)
	if q.Cursor != "" {
		cursor, err := q.parseCursor()
		if err != nil {
			return nil, err
		}
		b.cursor = &cursor
	}
	if filtered {
		b.filter = b.bindExpression(where, types)
	}
	return b, nil
}

// newNode returns the node of a query with its selectors.
func (t resolvedTypes) newNode(q *Query) *node {
	n := &node{Query: q}
	n.typ, n.hasType = t.ofHop(q)
	for _, name := range q.Selectors {
		s := t.newNode(&Query{Connection: name})
		s.parent = n
		n.selectors = append(n.selectors, s)
	}
	return n
}

func (n *node) attachTo(parent *node) {
	n.parent = parent
	parent.hops = append(parent.hops, n)
}

// isReachable reports whether the types of all connections from the root to the node exist.
func (n *node) isReachable() bool {
	return n.parent == nil || n.hasType && n.parent.isReachable()
}

func (n *node) isSelf() bool { return n.Connection == Self }

// aggregatesRoots reports whether the hop returns numbers over all roots.
func (n *node) aggregatesRoots() bool { return n.Aggregate == Group || n.Aggregate == Distinct }

func (n *node) direction() graph.Direction {
	if n.Reverse {
		return graph.In
	}
	return graph.Out
}

// An expression is a clause whose filters are resolved to sets. It is evaluated for a concept of a node.
type expression struct {
	clause   clause
	operands []*expression
	matches  []match // matches of a Leaf
	ancestor *node   // for ExAnd: the node whose concepts all operands must share
}

// A match is a node and the set of concepts that satisfy a filter there.
type match struct {
	node *node
	set  graph.Set
}

// bindExpression resolves the filters of a clause to sets.
func (b *boundQuery) bindExpression(c clause, types resolvedTypes) *expression {
	e := &expression{clause: c, ancestor: b.nodes[c.ancestor]}
	named := map[string]bool{}
	for _, operand := range c.groupedOperands() {
		if operand.op == Leaf { // only the first of equal filters counts
			name := operand.tests[0].filter.Name
			if named[name] {
				continue
			}
			named[name] = true
		}
		e.operands = append(e.operands, b.bindExpression(operand, types))
	}
	for _, t := range c.tests {
		if n := b.nodes[t.node]; n.isReachable() {
			e.matches = append(e.matches, match{n, n.narrowToRootType(types.filterSet(t.filter))})
		}
	}
	return e
}

// groupedOperands returns the operands of a clause, with all NOTs of a conjunction merged into one NOT of an OR.
func (c clause) groupedOperands() []clause {
	if c.op != And && c.op != ExAnd {
		return c.operands
	}
	var operands, negated []clause
	for _, operand := range c.operands {
		if operand.op == Not {
			negated = append(negated, operand.operands...)
		} else {
			operands = append(operands, operand)
		}
	}
	switch len(negated) {
	case 0:
	case 1:
		operands = append(operands, clause{op: Not, operands: negated})
	default:
		operands = append(operands, clause{op: Not, operands: []clause{{op: Or, operands: negated}}})
	}
	return operands
}

// filterSet returns the set of all concepts that satisfy a filter, on any node.
func (t resolvedTypes) filterSet(f Filter) graph.Set {
	where, compared, err := f.Predicate()
	if err != nil { // impossible: bindLogic has checked the filter
		return graph.IDs{}
	}
	if name, ok := f.NamedType(); ok {
		where.Number = int64(t.named[name])
	}
	typ := t.named[f.Type]
	switch {
	case f.IsSpecial() && !compared:
		return graph.Instances{}
	case f.IsSpecial():
		return specialFieldSet(where)
	case f.Type != "" && typ == 0:
		return graph.IDs{}
	case compared:
		return graph.Instances{Type: typ, Where: &where}
	default:
		return graph.Instances{Type: typ}
	}
}

// narrowToRootType restricts a set of concepts of any type to the type of the roots, if the node is the root. Stores
// find instances of one type faster.
func (n *node) narrowToRootType(set graph.Set) graph.Set {
	instances, ok := set.(graph.Instances)
	if !ok || instances.Type != 0 || instances.Where == nil || n.parent != nil || len(n.ConceptIDs) > 0 {
		return set
	}
	instances.Type = n.typ
	return instances
}

// specialFieldSet returns the set of all concepts that satisfy a predicate on a special field.
func specialFieldSet(where graph.Predicate) graph.Set {
	if where.Op == graph.Equal && where.Field == graph.FieldID {
		return graph.IDs{graph.ID(where.Number)}
	}
	return graph.Instances{Where: &where}
}
