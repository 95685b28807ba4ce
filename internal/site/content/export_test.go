package content

import (
	"context"

	"github.com/weft-graph/weft/graph"
)

// Prune removes old versions of the widgets in batches of batchSize; kept is the number of versions that remain.
func Prune(ctx context.Context, store graph.Store, kept, batchSize int) error {
	return prune(ctx, store, pruning{kept, batchSize})
}

// Normalized returns a widget in the form in which equal widgets are identical.
func Normalized(w Widget) Widget { return w.normalized() }

// BuiltIn are the files of the built-in site.
var BuiltIn = files
