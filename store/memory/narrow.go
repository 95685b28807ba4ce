package memory

import (
	"github.com/weft-graph/weft/graph"
)

// A test says whether a concept is a member of a set.
type test func(graph.ID) bool

// test looks at one concept after the other, and at none twice.
func (e eyes) test(of graph.Set) test {
	switch of := of.(type) {
	case graph.These:
		return e.members(of).has
	case graph.Instances:
		return func(id graph.ID) bool { return e.see(id) && isInstance(of, e.concepts[id]) }
	case graph.Linked:
		if of.Depth > 1 {
			return e.members(of).has
		}
		return remembered(e.testLinked(of))
	case graph.Holders:
		return remembered(e.testHolders(of))
	case graph.Either:
		return e.testEach(of, true)
	case graph.Both:
		return e.testEach(of, false)
	case graph.Except:
		is := e.test(of.Of)
		return func(id graph.ID) bool { return !is(id) }
	default:
		return e.see
	}
}

func isInstance(i graph.Instances, c graph.Concept) bool {
	return (i.Type == 0 || c.Type == i.Type && c.Category == graph.CategoryInstance) && (i.Where == nil || i.Where.Holds(c))
}

func (s set) has(id graph.ID) bool { return s[id] }

// remembered keeps what a test said.
func remembered(is test) test {
	said := map[graph.ID]bool{}
	return func(id graph.ID) bool {
		answer, known := said[id]
		if !known {
			answer = is(id)
			said[id] = answer
		}
		return answer
	}
}

// testEach is true as soon as one side is what decides.
func (e eyes) testEach(sets []graph.Set, decides bool) test {
	sides := make([]test, len(sets))
	for i, one := range sets {
		sides[i] = e.test(one)
	}
	return func(id graph.ID) bool {
		for _, is := range sides {
			if is(id) == decides {
				return decides
			}
		}
		return !decides
	}
}

func (e eyes) testLinked(l graph.Linked) test {
	index, farOf := e.out, func(c graph.Connection) graph.ID { return c.To }
	if l.Direction == graph.In {
		index, farOf = e.Store.in, func(c graph.Connection) graph.ID { return c.From }
	}
	far := e.test(l.Far)
	return func(id graph.ID) bool {
		if e.ctx.Err() != nil {
			return false
		}
		for _, typ := range l.Types {
			for _, link := range index[end{id, typ}] {
				if c := e.connections[link]; c.Type == typ && e.follow(c) && far(farOf(c)) {
					return true
				}
			}
		}
		return false
	}
}

func (e eyes) testHolders(h graph.Holders) test {
	inside := e.test(h.Of)
	return func(id graph.ID) bool {
		if !e.concepts[id].Composition || !e.see(id) {
			return false
		}
		for _, link := range e.typed[id] {
			if c := e.connections[link]; e.follow(c) && inside(c.To) {
				return true
			}
		}
		return false
	}
}
