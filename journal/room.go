package journal

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/kv"
)

// A size is what a server knows of the bytes that entries take: a sum that is looked up now and then, and
// what was added since.
type size struct {
	known   atomic.Int64
	making  sync.Mutex // room; held by the one call that does
	checked time.Time
}

const (
	sizePrefix = "log/size/" // and the day: bytes added that day, less those dropped early
	recheck    = time.Minute
	trimStep   = 16 // chunks; a few MB
	trimSteps  = 8  // of one call: more chunks than the longest one adds
)

func sizeKey(t time.Time) string { return sizePrefix + t.UTC().Format(time.DateOnly) }

// makeRoom drops the oldest entries while there are more bytes than the operator wants. Only one call of a server
// does so at a time, and nobody waits for it. Of several servers one gets its way; the others go on with their
// next call.
func (j *Journal) makeRoom(ctx context.Context, added int64) error {
	j.size.known.Add(added)
	if !j.size.making.TryLock() {
		return nil
	}
	defer j.size.making.Unlock()
	if now := j.options.Now(); now.Sub(j.size.checked) > recheck {
		total, err := j.total(ctx)
		if err != nil {
			return err
		}
		j.size.known.Store(total)
		j.size.checked = now
	}
	for step := 0; step < trimSteps && j.size.known.Load() > j.options.Most; step++ {
		freed, err := j.trim(ctx)
		if err != nil || freed == 0 {
			return err
		}
		j.size.known.Add(-freed)
	}
	return nil
}

func (j *Journal) total(ctx context.Context) (int64, error) {
	days, err := j.kv.List(ctx, kv.Range{Prefix: sizePrefix})
	var total int64
	for _, d := range days {
		n, err := strconv.ParseInt(string(d.Value), 10, 64)
		if err != nil {
			return 0, graph.Wrap(graph.Internal, err, "the entry %q is damaged", d.Key)
		}
		total += n
	}
	return total, err
}

// trim drops the oldest chunks of each type. Entries that expire are not subtracted here: the count of their
// day expires with them.
func (j *Journal) trim(ctx context.Context) (freed int64, err error) {
	chunks, err := j.oldest(ctx)
	if err != nil {
		return 0, err
	}
	ops := []kv.Op{}
	for _, c := range chunks {
		drops, err := j.drops(c)
		if err != nil {
			return 0, err
		}
		freed += int64(len(c.Value))
		ops = append(ops, drops...)
	}
	err = j.kv.Commit(ctx, ops...)
	if graph.KindOf(err) == graph.Conflict { // another server dropped them
		return 0, nil
	}
	return freed, err
}

// drops are the operations that drop a chunk.
func (j *Journal) drops(c kv.Entry) ([]kv.Op, error) {
	typ, stamp := splitKey(c.Key)
	var held chunk
	if err := decode(c, &held); err != nil {
		return nil, err
	}
	at := receivedAt(stamp)
	return []kv.Op{
		kv.Delete(c.Key).If(c.Version), kv.Delete(ownKey(held.User, typ, stamp)),
		kv.Add(sizeKey(at), -int64(len(c.Value))).Until(at.Add(j.options.Keep + 24*time.Hour)),
	}, nil
}

// oldest lists a few chunks that are older than any other, of whatever type.
func (j *Journal) oldest(ctx context.Context) ([]kv.Entry, error) {
	var found []kv.Entry
	for _, typ := range Types {
		some, err := j.kv.List(ctx, kv.Range{Prefix: entryKey(typ, ""), Limit: trimStep})
		if err != nil {
			return nil, err
		}
		found = append(found, some...)
	}
	byStamp(found)
	return found[:min(trimStep, len(found))], nil
}

// splitKey takes the key of a chunk, or of the entry that says whose it is, apart.
func splitKey(key string) (typ, stamp string) {
	at := strings.LastIndexByte(key, '/')
	typ = key[:at]
	return typ[strings.LastIndexByte(typ, '/')+1:], key[at+1:]
}

func receivedAt(stamp string) time.Time {
	text, _, _ := strings.Cut(stamp, "-")
	n, _ := strconv.ParseInt(text, 10, 64) // we wrote it
	return time.UnixMilli(n).UTC()
}
