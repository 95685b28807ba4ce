package access

import (
	"cmp"
	"context"
	"errors"

	"github.com/weft-graph/weft/graph"
)

// Select implements graph.Selector. The viewer is always the caller. For a key that is limited to types the error is
// errors.ErrUnsupported.
func (v *view) Select(ctx context.Context, s graph.Selection) ([]graph.ID, error) {
	if v.isLimitedToTypes() {
		return nil, errors.ErrUnsupported
	}
	s.Viewer = cmp.Or(v.caller.User, graph.Anonymous) // 0 would see everything
	return v.sets.Select(ctx, s)
}

// Sizes implements graph.Sizer. If the store supports it, Sizes counts only records that the caller sees. If the
// store does not support it, the choice of a plan, and therefore the duration of a query, depends on hidden
// records.
func (v *view) Sizes(ctx context.Context, types []graph.ID) ([]graph.Size, error) {
	if viewer := v.viewer(); viewer != 0 {
		return v.visible.VisibleSizes(ctx, viewer, types)
	}
	return v.sets.Sizes(ctx, types)
}

// ValueKeys implements graph.KeyReader. The viewer is always the caller. For a key that is limited to types the error is
// errors.ErrUnsupported.
func (v *view) ValueKeys(ctx context.Context, r graph.KeyRange) ([]graph.ValueSortKey, error) {
	if v.isLimitedToTypes() {
		return nil, errors.ErrUnsupported
	}
	r.Viewer = cmp.Or(v.caller.User, graph.Anonymous)
	return v.sets.ValueKeys(ctx, r)
}

// Containers implements graph.KeyReader, like ValueKeys.
func (v *view) Containers(ctx context.Context, c graph.Containers) ([]graph.ID, error) {
	if v.isLimitedToTypes() {
		return nil, errors.ErrUnsupported
	}
	c.Viewer = cmp.Or(v.caller.User, graph.Anonymous)
	return v.sets.Containers(ctx, c)
}

// PartKeys implements graph.KeyReader, like ValueKeys.
func (v *view) PartKeys(ctx context.Context, p graph.Parts) ([]graph.PartSortKey, error) {
	if v.isLimitedToTypes() {
		return nil, errors.ErrUnsupported
	}
	p.Viewer = cmp.Or(v.caller.User, graph.Anonymous)
	return v.sets.PartKeys(ctx, p)
}
