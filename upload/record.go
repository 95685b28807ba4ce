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
	"github.com/weft-graph/weft/kv"
)

// A Record is what is known of an uploaded file.
type Record struct {
	Name     string    `json:"name"` // unguessable: who knows it may read the file
	Owner    graph.ID  `json:"owner"`
	Kind     string    `json:"kind"`
	Size     int64     `json:"size"`
	Created  time.Time `json:"created"`
	Original string    `json:"original,omitempty"` // what the owner called it
	Width    int       `json:"width,omitempty"`
	Height   int       `json:"height,omitempty"`
	Small    *Variant  `json:"small,omitempty"` // of a picture
}

// A Variant is one form of a file.
type Variant struct {
	Name     string `json:"name"`
	Kind     string `json:"kind"`
	Size     int64  `json:"size"`
	Original string `json:"-"`
}

// What is kept, by key:
//
//	blob/record/<name>                    a Record
//	blob/owner/<owner>/<created>-<name>   for listing
//	blob/used/<owner>                     bytes
const (
	recordArea = "blob/record/"
	ownerArea  = "blob/owner/"
	usedArea   = "blob/used/"
)

const small = "_small"

// SmallName is the name of a picture's small variant.
func SmallName(name string) string {
	ending := filepath.Ext(name)
	return strings.TrimSuffix(name, ending) + small + ending
}

func mainName(name string) string {
	ending := filepath.Ext(name)
	return strings.TrimSuffix(strings.TrimSuffix(name, ending), small) + ending
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

// place is where the record stands in its owner's list.
func (r Record) place() string { return fmt.Sprintf("%013d-%s", r.Created.UnixMilli(), r.Name) }

func (r Record) ownerKey() string { return ownerArea + r.Owner.String() + "/" + r.place() }

func (u *Uploads) hasRoom(ctx context.Context, owner graph.ID) error {
	used, _, err := u.used(ctx, owner)
	if err == nil && used >= u.limits.Quota {
		err = u.overQuota(used)
	}
	return err
}

func (u *Uploads) overQuota(used int64) error {
	return graph.Errorf(graph.TooLarge, "the uploads would be %d bytes together; the most is %d", used, u.limits.Quota)
}

func (u *Uploads) used(ctx context.Context, owner graph.ID) (bytes, version int64, err error) {
	found, err := u.kv.Get(ctx, usedArea+owner.String())
	if err != nil || len(found) == 0 {
		return 0, kv.Absent, err
	}
	bytes, err = strconv.ParseInt(string(found[0].Value), 10, 64)
	return bytes, found[0].Version, err
}

// note writes the record, and counts its bytes in the same commit.
func (u *Uploads) note(ctx context.Context, r Record) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return u.counting(ctx, r.Owner, r.bytes(), kv.Put(recordArea+r.Name, text).If(kv.Absent), kv.Put(r.ownerKey(), []byte(r.Name)))
}

// counting commits operations together with a change of what an owner uses.
func (u *Uploads) counting(ctx context.Context, owner graph.ID, change int64, ops ...kv.Op) error {
	for {
		used, version, err := u.used(ctx, owner)
		if err != nil {
			return err
		}
		if change > 0 && used+change > u.limits.Quota {
			return u.overQuota(used + change)
		}
		count := kv.Put(usedArea+owner.String(), strconv.AppendInt(nil, used+change, 10)).If(version)
		err = u.kv.Commit(ctx, append([]kv.Op{count}, ops...)...)
		switch graph.KindOf(err) {
		case graph.Conflict:
		case graph.Unavailable, graph.Internal:
			return unsure{err}
		default:
			return err
		}
		if _, again, readErr := u.used(ctx, owner); again == version {
			return errors.Join(readErr, err) // it was not the count that somebody changed
		}
	}
}

// An unsure error is that of a commit which may have been made all the same: the answer was lost.
type unsure struct{ error }

// Unwrap is what was lost.
func (u unsure) Unwrap() error { return u.error }

// find returns a record and its version, or NotFound.
func (u *Uploads) find(ctx context.Context, name string) (Record, int64, error) {
	if name == "" || len(name) > 128 || strings.Contains(name, "/") || graph.CheckText("name", name) != nil {
		return Record{}, 0, noUpload(name)
	}
	found, err := u.kv.Get(ctx, recordArea+name)
	if err != nil {
		return Record{}, 0, err
	}
	if len(found) == 0 {
		return Record{}, 0, noUpload(name)
	}
	var r Record
	err = json.Unmarshal(found[0].Value, &r)
	return r, found[0].Version, err
}

func noUpload(name string) error {
	return graph.Errorf(graph.NotFound, "there is no upload %q", graph.Clip(name))
}

// Find returns the record of a file by its name, or NotFound.
func (u *Uploads) Find(ctx context.Context, name string) (Record, error) {
	r, _, err := u.find(ctx, name)
	return r, err
}

// List returns up to limit records of an owner, oldest first, and where the next ones begin: "" when there are none.
// It begins at a place that an earlier call returned, or at "".
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
	records, err := u.kv.Get(ctx, names...) // but those just removed
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

// Remove forgets a file and its small variant. They are gone once it returns, even if the store of the bytes does
// not answer now.
func (u *Uploads) Remove(ctx context.Context, name string) error {
	r, version, err := u.find(ctx, name)
	if err != nil {
		return err
	}
	if err := u.counting(ctx, r.Owner, -r.bytes(), kv.Delete(recordArea+r.Name).If(version), kv.Delete(r.ownerKey())); err != nil {
		return err
	}
	u.discard(context.WithoutCancel(ctx), r)
	return nil
}
