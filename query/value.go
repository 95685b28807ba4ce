package query

import (
	"context"

	"github.com/weft-graph/weft/graph"
)

const (
	// knownValues is how many concepts a filter by value may be true of for them to take its place.
	knownValues = 1_000
	// knownFilters is for how many it is asked.
	knownFilters = 32
)

// Values are what filters by value are true of. Where that is not much it stands in place of the filter, which is otherwise
// read from each value wherever it is checked.
type values struct {
	*run
	asked map[leaf]graph.Set
}

// A leaf is instances of which a predicate is true.
type leaf struct {
	typ   graph.ID
	where graph.Predicate
}

func (r *run) findValues(ctx context.Context, e *expression) error {
	if r.selector == nil {
		return nil
	}
	return values{r, map[leaf]graph.Set{}}.replace(ctx, e)
}

func (v values) replace(ctx context.Context, e *expression) error {
	for i, m := range e.matches {
		of, ok := m.set.(graph.Instances)
		if !ok || m.node == v.root() || of.Type == 0 || of.Where == nil || of.Where.Field != graph.FieldValue || of.Where.Op == graph.NotEqual {
			continue
		}
		var err error
		if e.matches[i].set, err = v.find(ctx, of); err != nil {
			return err
		}
	}
	for _, side := range e.of {
		if err := v.replace(ctx, side); err != nil {
			return err
		}
	}
	return nil
}

// find is the concepts that a filter is true of, or, if they are many, what it was.
func (v values) find(ctx context.Context, of graph.Instances) (graph.Set, error) {
	key := leaf{of.Type, *of.Where}
	switch known, asked := v.asked[key]; {
	case asked:
		return known, nil
	case len(v.asked) == knownFilters:
		return of, nil
	}
	v.asked[key] = of
	found, whole, err := v.gather(ctx, of, knownValues)
	if err != nil || !whole {
		return of, err
	}
	if v.sizes != nil && len(found) > 0 {
		v.sizes[found[0]] = v.sizes[of.Type] // what is expected of them is known by the first
	}
	v.asked[key] = graph.These(found)
	return v.asked[key], nil
}
