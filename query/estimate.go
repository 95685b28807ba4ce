package query

import (
	"context"
	"errors"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/weft-graph/weft/graph"
)

// typeSizes holds the sizes of the types in a query. A resolved value filter also has an entry: its key is the first
// of the ids that replace the filter, and its size is the size of the filter's type. If typeSizes is nil, all types
// are assumed to have the same size.
type typeSizes map[graph.ID]graph.Size

// loadSizes reads the sizes of all types in a query. It returns nil if the reader is not a graph.Sizer.
func loadSizes(ctx context.Context, r graph.Reader, b *boundQuery) (typeSizes, error) {
	sizer, ok := r.(graph.Sizer)
	if !ok {
		return nil, nil
	}
	var types []graph.ID
	for _, n := range b.nodes {
		types = append(types, n.typ)
	}
	for _, k := range b.order {
		types = append(types, k.typ)
	}
	if b.filter != nil {
		types = b.filter.collectTypes(types)
	}
	slices.Sort(types)
	types = slices.Compact(types)
	found, err := sizer.Sizes(ctx, types)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil, nil
	}
	known := typeSizes{}
	for i, size := range found {
		known[types[i]] = size
	}
	return known, err
}

// collectTypes appends the types of the filters in the expression.
func (e *expression) collectTypes(types []graph.ID) []graph.ID {
	for _, m := range e.matches {
		if instances, ok := m.set.(graph.Instances); ok {
			types = append(types, instances.Type)
		}
	}
	for _, operand := range e.operands {
		types = operand.collectTypes(types)
	}
	return types
}

// ofType returns the size of a type.
func (s typeSizes) ofType(typ graph.ID) graph.Size {
	if s == nil {
		return graph.Size{Instances: 1_000, Links: 1_000}
	}
	return s[typ]
}

// unbounded is the estimate for a set that is too large to gather.
const unbounded = math.MaxInt32

// estimate returns the approximate number of members of a set. It is only used to order strategies: a wrong estimate
// costs time, but never changes the result.
func (s typeSizes) estimate(set graph.Set) int {
	n, _ := s.estimateShare(set)
	return n
}

// estimateShare returns the approximate number of members of a set, and the number of concepts of which they are a share.
func (s typeSizes) estimateShare(set graph.Set) (n, among int) {
	switch set := set.(type) {
	case graph.IDs:
		among := 1_000
		if len(set) > 0 && s != nil && s[set[0]].Instances > 0 {
			among = s[set[0]].Instances
		}
		return len(set), max(len(set), among)
	case graph.Instances:
		return s.estimateInstances(set)
	case graph.Linked:
		links := 0
		for _, typ := range set.Types {
			links += s.ofType(typ).Links
		}
		n, among := s.estimateShare(set.Far)
		if isEverything(set.Far) || among == 0 || set.Depth > 1 {
			return links, links
		}
		return min(links, int(math.Ceil(float64(links)*float64(n)/float64(among)))), links // the estimate of a union counts common members twice
	case graph.Holders:
		return s.estimateShare(set.Of)
	case graph.Intersection:
		return s.estimateShare(set[0])
	case graph.Union:
		for _, operand := range set {
			a, b := s.estimateShare(operand)
			n, among = min(n+a, unbounded), max(among, b)
		}
		return n, among
	default:
		return unbounded, unbounded
	}
}

// estimateInstances assumes that one instance has a given value, that NotEqual matches all values, that a pattern matches
// a tenth of them, and that any other comparison matches a third.
func (s typeSizes) estimateInstances(set graph.Instances) (n, among int) {
	if set.Type == 0 {
		return s.estimateUntyped(set.Where), unbounded
	}
	among = s.ofType(set.Type).Instances
	switch {
	case set.Where == nil || set.Where.Op == graph.NotEqual:
		return among, among
	case set.Where.Op == graph.Equal && set.Where.Field == graph.FieldValue:
		return min(1, among), among // equal values are usually one concept
	case set.Where.Op == graph.Like:
		return among/10 + 1, among
	default:
		return among/3 + 1, among
	}
}

// estimateUntyped returns the approximate number of concepts of any type that satisfy a predicate. It is bounded only
// for a pattern with a piece that is long enough for a text index.
func (s typeSizes) estimateUntyped(where *graph.Predicate) int {
	const minIndexedRunes = 3
	if where == nil || where.Op != graph.Like {
		return unbounded
	}
	for _, piece := range where.Pieces() {
		if utf8.RuneCountInString(piece) >= minIndexedRunes {
			return 1_000
		}
	}
	return unbounded
}
