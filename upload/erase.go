package upload

import (
	"context"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/kv"
)

// Erase removes all files of an owner. It may be done again.
func (u *Uploads) Erase(ctx context.Context, owner graph.ID) error {
	const some = 100
	for after := ""; ; {
		found, next, err := u.List(ctx, owner, after, some)
		if err != nil {
			return err
		}
		for _, r := range found {
			if err := u.Remove(ctx, r.Name); err != nil && graph.KindOf(err) != graph.NotFound {
				return err
			}
		}
		if next == "" {
			return u.kv.Commit(ctx, kv.Delete(usedArea+owner.String()))
		}
		after = next
	}
}
