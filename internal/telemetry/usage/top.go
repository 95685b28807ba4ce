package usage

import (
	"context"
	"math"

	"github.com/weft-graph/weft/graph"
)

// A Score measures the use of a record: the number of its uses, where each use loses half its weight in every
// HalfLife.
type Score struct {
	ID   graph.ID
	Uses float64
}

// Top returns up to n records that all users together use most, the most used first. The result may be up to a minute old.
func (t *Tracker) Top(ctx context.Context, kind Kind, n int) ([]Score, error) {
	if t.shouldFold(0) {
		if err := t.fold(ctx); err != nil {
			return nil, err
		}
	}
	stored, _, err := t.table(ctx, allKey(kind), 0)
	if err != nil {
		return nil, err
	}
	ranking, now := stored.ranking(), scoreAt(t.now())
	top := make([]Score, 0, min(n, len(ranking)))
	for _, id := range ranking[:min(n, len(ranking))] {
		top = append(top, Score{id, math.Exp2(stored.Scores[id] - now)})
	}
	return top, nil
}
