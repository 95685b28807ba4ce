package upload

import (
	"context"
	"time"

	"github.com/weft-graph/weft/blob"
)

// orphan is the age at which bytes without a record will never get one.
const orphan = 24 * time.Hour

// Sweep removes bytes without a record, which a process that died in between leaves behind, and says how many.
func (u *Uploads) Sweep(ctx context.Context) (removed int, err error) {
	const page = 500
	for after := ""; ; {
		found, err := u.blobs.List(ctx, after, page)
		if err != nil {
			return removed, err
		}
		n, err := u.sweep(ctx, found)
		removed += n
		if err != nil || len(found) < page {
			return removed, err
		}
		after = found[len(found)-1].Name
	}
}

func (u *Uploads) sweep(ctx context.Context, found []blob.Info) (removed int, err error) {
	keys := make([]string, 0, len(found))
	for _, info := range found {
		keys = append(keys, recordArea+mainName(info.Name))
	}
	entries, err := u.kv.Get(ctx, keys...)
	if err != nil {
		return 0, err
	}
	recorded := map[string]bool{}
	for _, entry := range entries {
		recorded[entry.Key] = true
	}
	for i, info := range found {
		if recorded[keys[i]] || time.Since(info.Modified) < orphan {
			continue
		}
		if err := u.blobs.Remove(ctx, info.Name); err != nil {
			return removed, err
		}
		removed++
	}
	return removed, nil
}
