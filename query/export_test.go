package query

import (
	"context"

	"github.com/weft-graph/weft/graph"
)

// RunWith runs a query that tries less hard than usual in each way to find roots, so that it takes them all.
func RunWith(ctx context.Context, r graph.Reader, q Query, gather, window, countOn int) (Answer, error) {
	e := effort{
		values: gather, gather: gather, tries: 2, window: window, lastWindow: 4 * window, countOn: countOn, alike: gather,
		rows: MaxRows, room: MaxLinks,
	}
	return e.run(ctx, r, q)
}

// RunWithin runs a query that may not look at more than so many rows, nor hold more than so many connections.
func RunWithin(ctx context.Context, r graph.Reader, q Query, rows, room int) (Answer, error) {
	e := usual
	e.rows, e.room = rows, room
	return e.run(ctx, r, q)
}
