package clientlog

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
)

// A size is a server's estimate of the number of bytes of all entries: a sum that is read every sumInterval, plus the
// bytes that this server has added since then, minus the bytes that it has deleted since then.
type size struct {
	known    atomic.Int64
	deleting sync.Mutex // held by the call that deletes the oldest entries
	checked  time.Time
}

const (
	sizePrefix   = "log/size/" // followed by the day: bytes added on that day, minus the bytes deleted early
	sumInterval  = time.Minute
	trimStep     = 16 // maximum number of chunks deleted in one commit; a few MB
	maxTrimSteps = 8  // maximum number of commits per call; so many commits delete more chunks than the largest call adds
)

func sizeKey(t time.Time) string { return sizePrefix + t.UTC().Format(time.DateOnly) }

// deleteOldest deletes the oldest entries while there are more bytes than Options.MaxBytes. Only one call of a server
// deletes at a time; other calls do not wait. If several servers delete the same entries, one succeeds, and the others
// continue with their next call.
func (l *Log) deleteOldest(ctx context.Context, added int64) error {
	l.size.known.Add(added)
	if !l.size.deleting.TryLock() {
		return nil
	}
	defer l.size.deleting.Unlock()
	if now := l.options.Now(); now.Sub(l.size.checked) > sumInterval {
		total, err := l.total(ctx)
		if err != nil {
			return err
		}
		l.size.known.Store(total)
		l.size.checked = now
	}
	for step := 0; step < maxTrimSteps && l.size.known.Load() > l.options.MaxBytes; step++ {
		freed, err := l.trim(ctx)
		if err != nil || freed == 0 {
			return err
		}
		l.size.known.Add(-freed)
	}
	return nil
}

// total returns the number of bytes of all entries, which is the sum over all days.
func (l *Log) total(ctx context.Context) (int64, error) {
	days, err := l.kv.List(ctx, kv.Range{Prefix: sizePrefix})
	var total int64
	for _, d := range days {
		n, err := strconv.ParseInt(string(d.Value), 10, 64)
		if err != nil {
			return 0, graph.Wrap(graph.Internal, err, "entry %q is damaged", d.Key)
		}
		total += n
	}
	return total, err
}

// trim deletes the oldest chunks. Expired entries are not subtracted from the sum, because the count of the day
// of an entry expires within a day after the entry.
func (l *Log) trim(ctx context.Context) (freed int64, err error) {
	chunks, err := l.oldest(ctx)
	if err != nil {
		return 0, err
	}
	ops := []kv.Op{}
	for _, c := range chunks {
		deletions, err := l.deletions(c)
		if err != nil {
			return 0, err
		}
		freed += int64(len(c.Value))
		ops = append(ops, deletions...)
	}
	err = l.kv.Commit(ctx, ops...)
	if graph.KindOf(err) == graph.Conflict { // another server has deleted these chunks
		return 0, nil
	}
	return freed, err
}

// deletions returns the operations that delete a chunk.
func (l *Log) deletions(e kv.Entry) ([]kv.Op, error) {
	typ, stamp := splitKey(e.Key)
	var c chunk
	if err := decode(e, &c); err != nil {
		return nil, err
	}
	at := receivedAt(stamp)
	return []kv.Op{
		kv.Delete(e.Key).If(e.Version), kv.Delete(ownKey(c.User, typ, stamp)),
		kv.Add(sizeKey(at), -int64(len(e.Value))).Until(at.Add(l.options.Keep + 24*time.Hour)),
	}, nil
}

// oldest lists the oldest chunks of all types.
func (l *Log) oldest(ctx context.Context) ([]kv.Entry, error) {
	var found []kv.Entry
	for _, typ := range Types {
		part, err := l.kv.List(ctx, kv.Range{Prefix: entryKey(typ, ""), Limit: trimStep})
		if err != nil {
			return nil, err
		}
		found = append(found, part...)
	}
	sortByStamp(found)
	return found[:min(trimStep, len(found))], nil
}

// splitKey returns type and stamp from the key of a chunk, or from the key of its entry under "log/own/".
func splitKey(key string) (typ, stamp string) {
	at := strings.LastIndexByte(key, '/')
	typ = key[:at]
	return typ[strings.LastIndexByte(typ, '/')+1:], key[at+1:]
}

// receivedAt returns the time of arrival in a stamp.
func receivedAt(stamp string) time.Time {
	text, _, _ := strings.Cut(stamp, "-")
	n, _ := strconv.ParseInt(text, 10, 64) // always valid: written by this package
	return time.UnixMilli(n).UTC()
}
