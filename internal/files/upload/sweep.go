package upload

import (
	"context"
	"time"

	"github.com/weft-graph/weft/internal/files/blob"
)

// orphanAge is the age at which a blob without a record is removed. A younger blob may belong to an upload in progress.
const orphanAge = 24 * time.Hour

// Sweep removes blobs without a record, left by killed processes, and returns their number.
func (u *Uploads) Sweep(ctx context.Context) (removed int, err error) {
	const pageSize = 500
	for after := ""; ; {
		found, err := u.blobs.List(ctx, after, pageSize)
		if err != nil {
			return removed, err
		}
		n, err := u.removeOrphans(ctx, found)
		removed += n
		if err != nil || len(found) < pageSize {
			return removed, err
		}
		after = found[len(found)-1].Name
	}
}

// removeOrphans removes the given blobs that are old enough and have no record.
func (u *Uploads) removeOrphans(ctx context.Context, found []blob.Info) (removed int, err error) {
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
		if recorded[keys[i]] || time.Since(info.Modified) < orphanAge {
			continue
		}
		if err := u.blobs.Remove(ctx, info.Name); err != nil {
			return removed, err
		}
		removed++
	}
	return removed, nil
}
