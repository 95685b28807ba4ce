package auth

import (
	"context"

	"github.com/weft-graph/weft/graph"
)

// A counter is a store that can say how many instances of a type a viewer may not read. A store that
// cannot has each looked at.
type counter interface {
	CountHidden(ctx context.Context, typ, viewer graph.ID) (int, error)
}

// CountByType implements graph.Reader.
func (v *view) CountByType(ctx context.Context, typ graph.ID, atMost int) (int, error) {
	l, err := v.lens(ctx)
	switch {
	case err != nil || !l.instances(typ):
		return 0, err
	case v.caller.Admin:
		return v.store.CountByType(ctx, typ, atMost)
	case v.counter == nil:
		return v.countEach(ctx, l, typ, atMost)
	}
	hidden, err := v.counter.CountHidden(ctx, typ, v.caller.User)
	if err != nil {
		return 0, err
	}
	enough := 0
	if atMost > 0 {
		enough = atMost + hidden
	}
	n, err := v.store.CountByType(ctx, typ, enough)
	return max(n-hidden, 0), err // a batch may have come in between
}

func (v *view) countEach(ctx context.Context, l lens, typ graph.ID, atMost int) (int, error) {
	n := 0
	page := graph.Page{Limit: chunk}
	for {
		found, err := v.store.ConceptsByType(ctx, typ, page)
		if err != nil {
			return 0, err
		}
		full := len(found) == page.Limit
		if full {
			page.After = found[len(found)-1].ID
		}
		n += len(l.readable(found))
		if atMost > 0 && n >= atMost {
			return atMost, nil
		}
		if !full {
			return n, nil
		}
	}
}
