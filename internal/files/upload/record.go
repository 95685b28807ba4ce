package upload

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
)

// A Record describes an uploaded file.
type Record struct {
	Name     string    `json:"name"` // unguessable: the name grants read access
	Owner    graph.ID  `json:"owner"`
	Kind     string    `json:"kind"`
	Size     int64     `json:"size"` // in bytes, without the small variant
	Created  time.Time `json:"created"`
	Original string    `json:"original,omitempty"` // file name given by the owner
	Width    int       `json:"width,omitempty"`
	Height   int       `json:"height,omitempty"`
	Small    *Variant  `json:"small,omitempty"` // pictures only
}

// A Variant is a file to serve: an upload, or the small variant of a picture.
type Variant struct {
	Name     string `json:"name"`
	Kind     string `json:"kind"`
	Size     int64  `json:"size"`
	Original string `json:"-"` // file name given by the owner; empty for a small variant
}

// Keys in the kv store:
//
//	blob/record/<name>                    a Record
//	blob/owner/<owner>/<created>-<name>   index for listing
//	blob/used/<owner>                     number of bytes used
const (
	recordArea = "blob/record/"
	ownerArea  = "blob/owner/"
	usedArea   = "blob/used/"
)

const smallSuffix = "_small"

// SmallName returns the name of a picture's small variant.
func SmallName(name string) string {
	ending := filepath.Ext(name)
	return strings.TrimSuffix(name, ending) + smallSuffix + ending
}

// mainName returns the name of the upload, given its name or the name of its small variant.
func mainName(name string) string {
	ending := filepath.Ext(name)
	return strings.TrimSuffix(strings.TrimSuffix(name, ending), smallSuffix) + ending
}

func (r Record) blobs() []string {
	if r.Small == nil {
		return []string{r.Name}
	}
	return []string{r.Name, r.Small.Name}
}

func (r Record) bytes() int64 {
	if r.Small == nil {
		return r.Size
	}
	return r.Size + r.Small.Size
}

// cursor returns the position of the record in its owner's list.
func (r Record) cursor() string { return fmt.Sprintf("%013d-%s", r.Created.UnixMilli(), r.Name) }

func (r Record) ownerKey() string { return ownerArea + r.Owner.String() + "/" + r.cursor() }

// checkQuota rejects an upload before its bytes are read if the owner has no quota left. Later, commitWithUsedBytes
// checks the exact size.
func (u *Uploads) checkQuota(ctx context.Context, owner graph.ID) error {
	used, _, err := u.readUsedBytes(ctx, owner)
	if err == nil && used >= u.limits.Quota {
		err = u.quotaError(used)
	}
	return err
}

func (u *Uploads) quotaError(used int64) error {
	return graph.Errorf(graph.TooLarge, "the uploads would have %d bytes in total; the maximum is %d", used, u.limits.Quota)
}

// readUsedBytes returns the number of bytes that an owner uses, and the version of the counter.
func (u *Uploads) readUsedBytes(ctx context.Context, owner graph.ID) (bytes, version int64, err error) {
	found, err := u.kv.Get(ctx, usedArea+owner.String())
	if err != nil || len(found) == 0 {
		return 0, kv.Absent, err
	}
	bytes, err = strconv.ParseInt(string(found[0].Value), 10, 64)
	return bytes, found[0].Version, err
}

// writeRecord writes the record and updates the used bytes in the same commit.
func (u *Uploads) writeRecord(ctx context.Context, r Record) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return u.commitWithUsedBytes(ctx, r.Owner, r.bytes(), kv.Put(recordArea+r.Name, text).If(kv.Absent), kv.Put(r.ownerKey(), []byte(r.Name)))
}

// commitWithUsedBytes commits operations together with a change to the bytes that an owner uses. It retries if another
// commit changed the counter.
func (u *Uploads) commitWithUsedBytes(ctx context.Context, owner graph.ID, change int64, ops ...kv.Op) error {
	for {
		used, version, err := u.readUsedBytes(ctx, owner)
		if err != nil {
			return err
		}
		if change > 0 && used+change > u.limits.Quota {
			return u.quotaError(used + change)
		}
		count := kv.Put(usedArea+owner.String(), strconv.AppendInt(nil, used+change, 10)).If(version)
		err = u.kv.Commit(ctx, append([]kv.Op{count}, ops...)...)
		switch graph.KindOf(err) {
		case graph.Conflict:
		case graph.Unavailable, graph.Internal:
			return uncertainError{err}
		default:
			return err
		}
		if _, current, readErr := u.readUsedBytes(ctx, owner); current == version {
			return errors.Join(readErr, err) // the conflict was not about the counter
		}
	}
}

// An uncertainError wraps the error of a commit that may have succeeded, because the response was lost.
type uncertainError struct{ error }

// Unwrap returns the cause.
func (u uncertainError) Unwrap() error { return u.error }

// find returns a record and its version, or a NotFound error.
func (u *Uploads) find(ctx context.Context, name string) (Record, int64, error) {
	if name == "" || len(name) > 128 || strings.Contains(name, "/") || graph.CheckText("name", name) != nil {
		return Record{}, 0, notFoundError(name)
	}
	found, err := u.kv.Get(ctx, recordArea+name)
	if err != nil {
		return Record{}, 0, err
	}
	if len(found) == 0 {
		return Record{}, 0, notFoundError(name)
	}
	var r Record
	err = json.Unmarshal(found[0].Value, &r)
	return r, found[0].Version, err
}

func notFoundError(name string) error {
	return graph.Errorf(graph.NotFound, "upload %q not found", graph.Clip(name))
}

// Find returns the record of a file by its name, or a NotFound error.
func (u *Uploads) Find(ctx context.Context, name string) (Record, error) {
	r, _, err := u.find(ctx, name)
	return r, err
}

// List returns up to limit records of an owner, oldest first, after a cursor ("" for the start). It also returns the
// cursor of the next page, or "" if there is none.
func (u *Uploads) List(ctx context.Context, owner graph.ID, after string, limit int) (found []Record, next string, err error) {
	prefix := ownerArea + owner.String() + "/"
	r := kv.Range{Prefix: prefix, Limit: limit + 1}
	if after != "" {
		r.After = prefix + after
	}
	entries, err := u.kv.List(ctx, r)
	if err != nil {
		return nil, "", err
	}
	if len(entries) > limit {
		entries = entries[:limit]
		next = strings.TrimPrefix(entries[limit-1].Key, prefix)
	}
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = recordArea + string(entry.Value)
	}
	records, err := u.kv.Get(ctx, names...) // omits records that were removed after the list was read
	if err != nil {
		return nil, "", err
	}
	found = make([]Record, len(records))
	for i, entry := range records {
		if err := json.Unmarshal(entry.Value, &found[i]); err != nil {
			return nil, "", err
		}
	}
	return found, next, nil
}

// Remove deletes a file and its small variant. The error is NotFound for a missing file. When Remove returns nil, the
// file and the variant can no longer be read, even if their blobs could not be deleted yet.
func (u *Uploads) Remove(ctx context.Context, name string) error {
	r, version, err := u.find(ctx, name)
	if err != nil {
		return err
	}
	if err := u.commitWithUsedBytes(ctx, r.Owner, -r.bytes(), kv.Delete(recordArea+r.Name).If(version), kv.Delete(r.ownerKey())); err != nil {
		return err
	}
	u.discard(context.WithoutCancel(ctx), r)
	return nil
}

// Erase removes all files of an owner. It is idempotent.
func (u *Uploads) Erase(ctx context.Context, owner graph.ID) error {
	const pageSize = 100
	for after := ""; ; {
		found, next, err := u.List(ctx, owner, after, pageSize)
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
