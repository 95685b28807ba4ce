package query

import (
	"context"

	"github.com/weft-graph/weft/graph"
)

// RunWith runs a query that tries less hard than usual in each way to find roots, so that it takes them all.
func RunWith(ctx context.Context, r graph.Reader, q Query, gather, window, patience, countOn int) (Answer, error) {
	e := effort{
		gather: gather, hopeless: 1, tries: 2, window: window, lastWindow: 4 * window, patience: patience, countOn: countOn,
	}
	return e.run(ctx, r, q)
}
