package query

import "github.com/weft-graph/weft/graph"

// either is what is in any of several sets. Walks of one hop become one walk, and known concepts one list: to look for a
// thousand things in one place costs little more than to look for one.
func either(sets ...graph.Set) graph.Set {
	m := merger{seen: idSet{}, far: map[hop][]graph.Set{}}
	m.add(sets)
	all := m.others
	if m.anything {
		return graph.Instances{}
	}
	if len(m.known) > 0 {
		all = append(all, m.known)
	}
	for _, h := range m.hops {
		all = append(all, h.back(either(m.far[h]...)))
	}
	switch len(all) {
	case 0:
		return graph.These{}
	case 1:
		return all[0]
	default:
		return all
	}
}

// A merger puts sets together that are of one kind.
type merger struct {
	known  graph.These
	seen   idSet // of those
	hops   []hop
	far    map[hop][]graph.Set // what they lead to
	others graph.Either
	// anything says that one of them has everything in it.
	anything bool
}

func (m *merger) add(sets []graph.Set) {
	for _, set := range sets {
		switch set := set.(type) {
		case graph.These:
			for _, id := range set {
				if !m.seen[id] {
					m.seen[id] = true
					m.known = append(m.known, id)
				}
			}
		case graph.Either:
			m.add(set)
		case graph.Linked:
			m.walk(hopOf(set), set.Far)
		case graph.Holders:
			m.walk(hop{self: true}, set.Of)
		default:
			m.anything = m.anything || everything(set)
			m.others = append(m.others, set)
		}
	}
}

func (m *merger) walk(h hop, far graph.Set) {
	if far == nil {
		far = graph.Instances{}
	}
	if m.far[h] == nil {
		m.hops = append(m.hops, h)
	}
	m.far[h] = append(m.far[h], far)
}

// A hop is what walks of one kind follow.
type hop struct {
	self      bool // into a composition
	typ       graph.ID
	direction graph.Direction
	depth     int
}

func (n *node) hop() hop {
	return hop{self: n.self(), typ: n.typ, direction: n.direction(), depth: n.Depth}
}

// hopOf is what a walk follows first.
func hopOf(set graph.Linked) hop {
	return hop{typ: set.Types[0], direction: set.Direction, depth: set.Depth}
}

// back is what the hop leads from to concepts of a set.
func (h hop) back(far graph.Set) graph.Set {
	if everything(far) {
		far = nil
	}
	if h.self {
		return graph.Holders{Of: far}
	}
	return graph.Linked{Types: []graph.ID{h.typ}, Direction: h.direction, Far: far, Depth: h.depth}
}
