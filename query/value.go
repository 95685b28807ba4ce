package query

import (
	"context"

	"github.com/weft-graph/weft/graph"
)

// knownValues is how many concepts a filter by value may be true of for them to take its place.
const knownValues = 1_000

// findValues looks for what filters by value are true of, where that is not much. From then on it stands in place of the
// filter, which is otherwise read from each value wherever it is checked.
func (r *run) findValues(ctx context.Context, e *expression) error {
	if r.selector == nil {
		return nil
	}
	for i, m := range e.matches {
		of, ok := m.set.(graph.Instances)
		if !ok || m.node == r.root() || of.Type == 0 || of.Where == nil || of.Where.Field != graph.FieldValue || of.Where.Op == graph.NotEqual {
			continue
		}
		found, whole, err := r.gather(ctx, of, knownValues)
		if err != nil {
			return err
		}
		if whole {
			e.matches[i].set = graph.These(found)
		}
	}
	for _, side := range e.of {
		if err := r.findValues(ctx, side); err != nil {
			return err
		}
	}
	return nil
}
