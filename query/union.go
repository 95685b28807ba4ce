package query

import "github.com/weft-graph/weft/graph"

// union returns the union of sets. It merges sets over the same hop into one hop to a union, and lists of ids into
// one list, so that a thousand alternatives cost little more than one.
func union(sets ...graph.Set) graph.Set {
	b := unionBuilder{seen: idSet{}, far: map[hopKey][]graph.Set{}}
	b.add(sets)
	all := b.others
	if b.hasEverything {
		return graph.Instances{}
	}
	if len(b.ids) > 0 {
		all = append(all, b.ids)
	}
	for _, h := range b.hops {
		all = append(all, h.setLeadingTo(union(b.far[h]...)))
	}
	switch len(all) {
	case 0:
		return graph.IDs{}
	case 1:
		return all[0]
	default:
		return all
	}
}

// A unionBuilder groups sets by kind.
type unionBuilder struct {
	ids           graph.IDs
	seen          idSet // the same ids
	hops          []hopKey
	far           map[hopKey][]graph.Set // the sets to which each hop leads
	others        graph.Union
	hasEverything bool // one of the sets contains all concepts
}

// add sorts the sets into ids, hops and other sets.
func (b *unionBuilder) add(sets []graph.Set) {
	for _, set := range sets {
		switch set := set.(type) {
		case graph.IDs:
			for _, id := range set {
				if !b.seen[id] {
					b.seen[id] = true
					b.ids = append(b.ids, id)
				}
			}
		case graph.Union:
			b.add(set)
		case graph.Linked:
			b.addHop(hopKeyOf(set), set.Far)
		case graph.Holders:
			b.addHop(hopKeyOfHolders(set), set.Of)
		default:
			b.hasEverything = b.hasEverything || isEverything(set)
			b.others = append(b.others, set)
		}
	}
}

// addHop adds the set of the concepts from which the hop leads to a member of far.
func (b *unionBuilder) addHop(h hopKey, far graph.Set) {
	if far == nil {
		far = graph.Instances{}
	}
	if b.far[h] == nil {
		b.hops = append(b.hops, h)
	}
	b.far[h] = append(b.far[h], far)
}
