package memory

import (
	"github.com/weft-graph/weft/graph"
)

// A test reports whether a concept is a member of a set.
type test func(graph.ID) bool

// test returns the test of a set. Expensive tests remember their results by concept.
func (v view) test(of graph.Set) test {
	switch of := of.(type) {
	case graph.IDs:
		return v.members(of).has
	case graph.Instances:
		return func(id graph.ID) bool { return v.sees(id) && isInstance(of, v.concepts[id]) }
	case graph.Linked:
		if of.Depth > 1 {
			return v.members(of).has
		}
		return memoize(v.testLinked(of))
	case graph.Holders:
		return memoize(v.testHolders(of))
	case graph.Union:
		return v.testEach(of, true)
	case graph.Intersection:
		return v.testEach(of, false)
	case graph.Complement:
		is := v.test(of.Of)
		return func(id graph.ID) bool { return !is(id) }
	default:
		return v.sees
	}
}

func isInstance(i graph.Instances, c graph.Concept) bool {
	return (i.Type == 0 || c.Type == i.Type && c.Category == graph.CategoryInstance) && (i.Where == nil || i.Where.Holds(c))
}

func (s set) has(id graph.ID) bool { return s[id] }

// memoize returns a test that runs the given test once for each concept.
func memoize(is test) test {
	results := map[graph.ID]bool{}
	return func(id graph.ID) bool {
		result, known := results[id]
		if !known {
			result = is(id)
			results[id] = result
		}
		return result
	}
}

// testEach returns a test. Its result is decides if the test of one of the sets has the result decides, and the opposite
// otherwise. For a union decides is true, for an intersection it is false.
func (v view) testEach(sets []graph.Set, decides bool) test {
	tests := make([]test, len(sets))
	for i, member := range sets {
		tests[i] = v.test(member)
	}
	return func(id graph.ID) bool {
		for _, is := range tests {
			if is(id) == decides {
				return decides
			}
		}
		return !decides
	}
}

func (v view) testLinked(l graph.Linked) test {
	index, visible, farOf := v.out, v.scoped.out, func(c graph.Connection) graph.ID { return c.To }
	if l.Direction == graph.In {
		index, visible, farOf = v.in, v.scoped.in, func(c graph.Connection) graph.ID { return c.From }
	}
	far := v.test(l.Far)
	return func(id graph.ID) bool {
		if v.ctx.Err() != nil {
			return false
		}
		for _, typ := range l.Types {
			at := end{id, typ}
			for link := range v.each(index[at], visible, at) {
				if c := v.connections[link]; c.Type == typ && v.seesLink(c) && far(farOf(c)) {
					return true
				}
			}
		}
		return false
	}
}

func (v view) testHolders(h graph.Holders) test {
	inside := v.test(h.Of)
	return func(id graph.ID) bool {
		if !v.concepts[id].Composition || !v.sees(id) {
			return false
		}
		for link := range v.each(v.typed[id], v.scoped.typed, end{0, id}) {
			if c := v.connections[link]; (!h.Direct || c.From == c.Type) && v.seesLink(c) && inside(c.To) {
				return true
			}
		}
		return false
	}
}
