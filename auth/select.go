package auth

import (
	"cmp"
	"context"
	"errors"

	"github.com/weft-graph/weft/graph"
)

// Select implements graph.Selector; whatever viewer is asked for, it is the caller. For a key that is narrowed
// to some types the error is errors.ErrUnsupported.
func (v *view) Select(ctx context.Context, s graph.Selection) ([]graph.ID, error) {
	if v.narrowed() {
		return nil, errors.ErrUnsupported
	}
	s.Viewer = cmp.Or(v.caller.User, graph.Anonymous) // 0 would be one who sees everything
	return v.sets.Select(ctx, s)
}

// Sizes implements graph.Sizer.
func (v *view) Sizes(ctx context.Context, types []graph.ID) ([]graph.Size, error) {
	return v.sets.Sizes(ctx, types)
}
