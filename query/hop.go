package query

import "github.com/weft-graph/weft/graph"

// A hopKey identifies the connections that a hop follows. Hops with equal keys lead to the same concepts.
type hopKey struct {
	self      bool // the connections inside compositions
	direct    bool // only connections that start at the main concept
	typ       graph.ID
	direction graph.Direction
	depth     int
}

func (n *node) hopKey() hopKey {
	return hopKey{self: n.isSelf(), direct: n.Direct, typ: n.typ, direction: n.direction(), depth: n.Depth}
}

// hopKeyOf returns the key of the hop that leads from the members of a set to the members of set.Far. A set in a query
// names exactly one type of connections.
func hopKeyOf(set graph.Linked) hopKey {
	return hopKey{typ: set.Types[0], direction: set.Direction, depth: set.Depth}
}

// hopKeyOfHolders returns the key of the hop that leads from the members of a set to the members of set.Of.
func hopKeyOfHolders(set graph.Holders) hopKey { return hopKey{self: true, direct: set.Direct} }

// setLeadingTo returns the set of the concepts from which the hop leads to a member of far.
func (h hopKey) setLeadingTo(far graph.Set) graph.Set {
	if isEverything(far) {
		far = nil
	}
	if h.self {
		return graph.Holders{Of: far, Direct: h.direct}
	}
	return graph.Linked{Types: []graph.ID{h.typ}, Direction: h.direction, Far: far, Depth: h.depth}
}

// farOf returns the end to which a connection leads in a direction.
func farOf(c graph.Connection, d graph.Direction) graph.ID {
	if d == graph.In {
		return c.From
	}
	return c.To
}

// nearOf returns the end from which a connection leads in a direction.
func nearOf(c graph.Connection, d graph.Direction) graph.ID {
	if d == graph.In {
		return c.To
	}
	return c.From
}
