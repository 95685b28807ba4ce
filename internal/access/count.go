package access

import (
	"context"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/budget"
)

// CountByType implements graph.Reader.
func (v *view) CountByType(ctx context.Context, typ graph.ID, atMost int) (int, error) {
	l, err := v.visibility(ctx)
	switch viewer := v.viewer(); {
	case err != nil || !l.includesType(typ):
		return 0, err
	case v.caller.Admin:
		return v.store.CountByType(ctx, typ, atMost)
	case viewer != 0:
		n, err := v.visible.CountVisible(ctx, typ, viewer)
		if atMost > 0 {
			n = min(n, atMost)
		}
		return n, err
	}
	return v.countOneByOne(ctx, l, typ, atMost)
}

// countOneByOne reads the instances of a type and counts the instances that the caller may read, up to atMost; 0
// means no limit.
func (v *view) countOneByOne(ctx context.Context, l visibility, typ graph.ID, atMost int) (int, error) {
	n := 0
	page := graph.Page{Limit: chunkRows}
	account := budget.Of(ctx)
	for {
		before := account.Charged()
		found, err := v.store.ConceptsByType(ctx, typ, page)
		if err != nil {
			return 0, err
		}
		account.Shrink(account.Charged() - before) // the concepts are not kept, so their memory is returned to the account
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
