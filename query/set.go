package query

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/weft-graph/weft/graph"
)

// set is the concepts of a node that an expression is true of: walks back from what its filters are true of.
func (e *expression) set(at *node, s sizes) graph.Set {
	switch e.clause.op {
	case Leaf:
		var sets []graph.Set
		for _, m := range e.matches {
			sets = append(sets, walk(m.set, m.node, at))
		}
		return either(sets...)
	case And:
		return both(s.sides(e.of, at))
	case ExAnd:
		return walk(both(s.sides(e.of, e.under)), e.under, at)
	case Not:
		return graph.Both{graph.Instances{}, graph.Except{Of: e.of[0].set(at, s)}}
	default:
		var sets []graph.Set
		for _, side := range e.of {
			sets = append(sets, side.set(at, s))
		}
		return either(sets...)
	}
}

// A side of an AND or EXAND is what one of its expressions is true of.
type side struct {
	of       *expression
	set      graph.Set // an Except for a NOT
	expected int       // all if it is not to be gathered
}

// sides are those of some expressions at a node, the one that is expected to be smallest first.
func (s sizes) sides(of []*expression, at *node) []*side {
	var sides []*side
	for _, e := range of {
		one := &side{of: e, expected: all}
		if e.clause.op == Not {
			one.set = graph.Except{Of: e.of[0].set(at, s)}
		} else {
			one.set = e.set(at, s)
			one.expected = s.expect(one.set)
		}
		sides = append(sides, one)
	}
	sides = intervals(sides)
	slices.SortStableFunc(sides, func(a, b *side) int { return cmp.Compare(a.expected, b.expected) })
	return sides
}

// intervals puts the sides together that bound the values of one type: a store reads what lies between two bounds, and not all beyond
// either.
func intervals(sides []*side) []*side {
	var kept []*side
	at := map[graph.ID]*side{}
	for _, one := range sides {
		of, ok := one.set.(graph.Instances)
		switch {
		case !ok || !bounded(of):
			kept = append(kept, one)
		case at[of.Type] == nil:
			at[of.Type] = one
			kept = append(kept, one)
		default:
			at[of.Type].narrow(one)
		}
	}
	return kept
}

// narrow makes of a side what another is true of too.
func (s *side) narrow(other *side) {
	if within, ok := s.set.(graph.Both); ok {
		s.of.clause.of = append(s.of.clause.of, other.of.clause)
		within = append(within, other.set)
		s.set = within
		return
	}
	s.of = &expression{clause: clause{op: And, of: []clause{s.of.clause, other.of.clause}}}
	s.set = graph.Both{s.set, other.set}
}

// bounded says whether a value is compared with a lower or an upper bound.
func bounded(set graph.Set) bool {
	of, ok := set.(graph.Instances)
	return ok && of.Type != 0 && of.Where != nil && of.Where.Field == graph.FieldValue &&
		slices.Contains([]graph.Op{graph.Greater, graph.GreaterOrEqual, graph.Less, graph.LessOrEqual}, of.Where.Op)
}

// both is what all sides are true of, but for some.
func both(sides []*side, but ...*side) graph.Both {
	var all graph.Both
	for _, s := range sides {
		if slices.Contains(but, s) {
			continue
		}
		if of, ok := s.set.(graph.Both); ok {
			all = append(all, of...)
		} else {
			all = append(all, s.set)
		}
	}
	if len(all) == 0 {
		return graph.Both{graph.Instances{}}
	}
	if _, except := all[0].(graph.Except); except {
		all = append(graph.Both{graph.Instances{}}, all...)
	}
	return all
}

// walk is the concepts of a node from which the hops lead to a set of concepts of a node below.
func walk(set graph.Set, from, to *node) graph.Set {
	for n := from; n != to; n = n.above {
		set = n.hop().back(set)
	}
	return set
}

func everything(s graph.Set) bool {
	instances, ok := s.(graph.Instances)
	return s == nil || ok && instances == graph.Instances{}
}

// flows says whether members of a set can be found one after the other, so that finding some costs little. Of a Both it
// may be that the first side has many members, and few of them are in the others.
func flows(set graph.Set) bool {
	switch set := set.(type) {
	case graph.These, graph.Instances:
		return true
	case graph.Linked:
		return set.Depth <= 1 && (set.Far == nil || flows(set.Far))
	case graph.Holders:
		return set.Of == nil || flows(set.Of)
	case graph.Either:
		return !slices.ContainsFunc(set, func(side graph.Set) bool { return !flows(side) })
	case graph.Both:
		return !slices.ContainsFunc(set, func(side graph.Set) bool { return !bounded(side) })
	default:
		return false
	}
}

// steps is how many connections, one after the other, lie between a member of a set and what it depends on.
func steps(set graph.Set) (most int) {
	switch set := set.(type) {
	case graph.Linked:
		return max(set.Depth, 1) + steps(set.Far)
	case graph.Holders:
		return 1 + steps(set.Of)
	case graph.Except:
		return steps(set.Of)
	case graph.Both:
		for _, side := range set {
			most = max(most, steps(side))
		}
	case graph.Either:
		for _, side := range set {
			most = max(most, steps(side))
		}
	}
	return most
}

// Sizes are those of the types in a query, and of some concepts the size of their type. Without any, all are taken to be alike.
type sizes map[graph.ID]graph.Size

// sizesOf asks for the sizes of all that a filtered query names.
func sizesOf(ctx context.Context, r graph.Reader, b *bound) (sizes, error) {
	sizer, ok := r.(graph.Sizer)
	if !ok {
		return nil, nil
	}
	var types []graph.ID
	for _, n := range b.nodes {
		types = append(types, n.typ)
	}
	types = b.where.types(types)
	slices.Sort(types)
	types = slices.Compact(types)
	found, err := sizer.Sizes(ctx, types)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil, nil
	}
	known := sizes{}
	for i, size := range found {
		known[types[i]] = size
	}
	return known, err
}

func (e *expression) types(types []graph.ID) []graph.ID {
	for _, m := range e.matches {
		if instances, ok := m.set.(graph.Instances); ok {
			types = append(types, instances.Type)
		}
	}
	for _, side := range e.of {
		types = side.types(types)
	}
	return types
}

func (s sizes) of(typ graph.ID) graph.Size {
	if s == nil {
		return graph.Size{Instances: 1_000, Links: 1_000}
	}
	return s[typ]
}

// all is the expected size of a set that is not worth finding.
const all = math.MaxInt32

// expect is how many members a set has, roughly. It is good enough to put sets in order, and nothing worse than time
// comes of it when it is wrong.
func (s sizes) expect(set graph.Set) int {
	n, _ := s.share(set)
	return n
}

// share is how many members a set is expected to have, and among how many concepts that could be.
func (s sizes) share(set graph.Set) (n, among int) {
	switch set := set.(type) {
	case graph.These:
		among := 1_000
		if len(set) > 0 && s != nil && s[set[0]].Instances > 0 {
			among = s[set[0]].Instances
		}
		return len(set), max(len(set), among)
	case graph.Instances:
		return s.instances(set)
	case graph.Linked:
		links := 0
		for _, typ := range set.Types {
			links += s.of(typ).Links
		}
		n, among := s.share(set.Far)
		if everything(set.Far) || among == 0 || set.Depth > 1 {
			return links, links
		}
		return int(math.Ceil(float64(links) * float64(n) / float64(among))), links
	case graph.Holders:
		return s.share(set.Of)
	case graph.Both:
		return s.share(set[0])
	case graph.Either:
		for _, side := range set {
			a, b := s.share(side)
			n, among = min(n+a, all), max(among, b)
		}
		return min(n, max(n, among)), among
	default:
		return all, all
	}
}

func (s sizes) instances(set graph.Instances) (n, among int) {
	if set.Type == 0 {
		return s.anything(set.Where), all
	}
	among = s.of(set.Type).Instances
	switch {
	case set.Where == nil || set.Where.Op == graph.NotEqual:
		return among, among
	case set.Where.Op == graph.Equal && set.Where.Field == graph.FieldValue:
		return min(1, among), among // equal values are mostly one concept
	case set.Where.Op == graph.Like:
		return among/10 + 1, among
	default:
		return among/3 + 1, among
	}
}

// anything is how many concepts of any type there may be that a predicate is true of. A text that an index of texts knows
// is worth a try.
func (s sizes) anything(where *graph.Predicate) int {
	const indexed = 3 // letters
	if where == nil || where.Op != graph.Like {
		return all
	}
	for _, piece := range where.Pieces() {
		if utf8.RuneCountInString(piece) >= indexed {
			return 1_000
		}
	}
	return all
}
