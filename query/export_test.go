package query

import (
	"context"

	"github.com/weft-graph/weft/graph"
)

// RunWith runs a query that tries less hard than usual in each way to find roots, so that it takes them all.
func RunWith(ctx context.Context, r graph.Reader, q Query, gather, window, countOn int) (Answer, error) {
	e := effort{
		gather: gather, tries: 2, window: window, lastWindow: 4 * window, countOn: countOn,
		rows: MaxRows,
	}
	return e.run(ctx, r, q)
}

// RunWithin runs a query that may not look at more than so many rows.
func RunWithin(ctx context.Context, r graph.Reader, q Query, rows int) (Answer, error) {
	e := usual
	e.rows = rows
	return e.run(ctx, r, q)
}
