package upload

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
)

// ListAll returns up to limit records of all owners after a cursor ("" for the start), in order of their names. It also returns the
// cursor of the next page, or "" if there is none.
func (u *Uploads) ListAll(ctx context.Context, after string, limit int) (found []Record, next string, err error) {
	r := kv.Range{Prefix: recordArea, Limit: limit}
	if after != "" {
		r.After = recordArea + after
	}
	entries, err := u.kv.List(ctx, r)
	if err != nil {
		return nil, "", err
	}
	found = make([]Record, len(entries))
	for i, e := range entries {
		if err := json.Unmarshal(e.Value, &found[i]); err != nil {
			return nil, "", err
		}
	}
	if len(found) == limit {
		next = found[limit-1].Name
	}
	return found, next, nil
}

// A Space is the space that the uploads of an owner take, in bytes.
type Space struct {
	Owner graph.ID
	Bytes int64
}

// Spaces returns the n owners whose uploads take the most space, the largest first, and the bytes of all owners together. It reads
// one entry for each owner.
func (u *Uploads) Spaces(ctx context.Context, n int) (largest []Space, total int64, err error) {
	const pageSize = 1_000
	for after := ""; ; {
		entries, err := u.kv.List(ctx, kv.Range{Prefix: usedArea, After: after, Limit: pageSize})
		if err != nil {
			return nil, 0, err
		}
		for _, e := range entries {
			owner, ownerErr := graph.ParseID(strings.TrimPrefix(e.Key, usedArea))
			bytes, err := strconv.ParseInt(string(e.Value), 10, 64)
			if ownerErr != nil || err != nil {
				return nil, 0, graph.Errorf(graph.Internal, "cannot decode the entry %q", e.Key)
			}
			after, total = e.Key, total+bytes
			largest = append(largest, Space{owner, bytes})
		}
		slices.SortFunc(largest, func(a, b Space) int { return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Owner, b.Owner)) })
		largest = largest[:min(n, len(largest))]
		if len(entries) < pageSize {
			return largest, total, nil
		}
	}
}
