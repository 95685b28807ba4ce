package query

import (
	"context"

	"github.com/weft-graph/weft/graph"
)

// Thresholds are low limits at which the execution switches between strategies, so that small graphs exercise all of
// them.
type Thresholds struct{ Gather, Window, ExactCount int }

// RunWithThresholds runs a query with low thresholds.
func RunWithThresholds(ctx context.Context, r graph.Reader, q Query, t Thresholds) (Answer, error) {
	l := limits{
		maxValueMatches: t.Gather, firstGather: t.Gather, gatherTries: 2, firstWindow: t.Window, maxWindow: 4 * t.Window,
		maxExactCount: t.ExactCount, firstValues: t.Window, maxGroup: t.Gather, maxSimilarSets: t.Gather, maxRows: MaxRows, maxHeldLinks: MaxLinks,
	}
	return l.run(ctx, r, q)
}

// RunWithin runs a query that may read at most rows rows and hold at most heldLinks connections.
func RunWithin(ctx context.Context, r graph.Reader, q Query, rows, heldLinks int) (Answer, error) {
	l := defaultLimits
	l.maxRows, l.maxHeldLinks = rows, heldLinks
	return l.run(ctx, r, q)
}

// CursorAt returns the cursor after a root with the given values.
func (q Query) CursorAt(id graph.ID, values ...string) string {
	o := orderedRoot{id: id}
	for _, value := range values {
		o.keys = append(o.keys, graph.SortKeyOf(value))
	}
	return q.cursorAfter(o)
}
