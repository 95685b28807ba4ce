// Package audit keeps a log of the actions of admins. An entry holds the admin, the action, its target, the time and the address.
//
// The entries are a ring in the kv store, under "audit/":
//
//	next         number of the next entry
//	entry/N      an entry; N has 20 digits, so that entries are in order
//
// A commit that adds an entry also removes the entry MaxEntries before it, so that there are never more than
// MaxEntries.
package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
)

// MaxEntries is the maximum number of entries. A further entry removes the oldest.
const MaxEntries = 20_000

// maxTextBytes is the maximum length of each string of an entry, in bytes.
const maxTextBytes = 300

const (
	nextKey     = "audit/next"
	entryPrefix = "audit/entry/"
)

// An Entry is an action of an admin.
type Entry struct {
	Number  int64     `json:"number"` // counts up from 1
	At      time.Time `json:"at"`
	By      graph.ID  `json:"by"`                // the admin
	ByEmail string    `json:"byEmail,omitempty"` // e-mail of the admin at that time
	Action  string    `json:"action"`            // such as "user.disable"
	Target  string    `json:"target"`            // such as an e-mail address; "" if the action has none
	Detail  string    `json:"detail,omitempty"`  // never a secret
	Address string    `json:"address"`           // address from which the request came
}

// A Log is the audit log of a store.
type Log struct {
	kv  kv.Store
	now func() time.Time
}

// New returns the log in a kv store. The parameter now returns the current time; nil means time.Now.
func New(entries kv.Store, now func() time.Time) *Log {
	if now == nil {
		now = time.Now
	}
	return &Log{kv: entries, now: now}
}

// Add sets the number and time of an entry and writes it durably. It cuts strings to maxTextBytes.
func (l *Log) Add(ctx context.Context, e Entry) error {
	e.At = l.now().UTC().Truncate(time.Millisecond)
	for _, text := range []*string{&e.ByEmail, &e.Action, &e.Target, &e.Detail, &e.Address} {
		*text = strings.ToValidUTF8((*text)[:min(len(*text), maxTextBytes)], "")
	}
	for {
		err := l.commit(ctx, e)
		if graph.KindOf(err) != graph.Conflict { // a Conflict means that another entry took the number
			return err
		}
	}
}

func (l *Log) commit(ctx context.Context, e Entry) error {
	found, err := l.kv.Get(ctx, nextKey)
	if err != nil {
		return err
	}
	number, version := int64(1), kv.Absent
	if len(found) > 0 {
		version = found[0].Version
		if number, err = strconv.ParseInt(string(found[0].Value), 10, 64); err != nil {
			return graph.Wrap(graph.Internal, err, "cannot decode %q", nextKey)
		}
	}
	e.Number = number
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	ops := []kv.Op{kv.Put(nextKey, strconv.AppendInt(nil, number+1, 10)).If(version), kv.Put(entryKey(number), text)}
	if number > MaxEntries {
		ops = append(ops, kv.Delete(entryKey(number-MaxEntries)))
	}
	return l.kv.Commit(ctx, ops...)
}

func entryKey(number int64) string { return fmt.Sprintf("%s%020d", entryPrefix, number) }

// A Query selects entries. Zero fields select all.
type Query struct {
	Before int64    // only entries with lower numbers
	By     graph.ID // only actions of this admin; 0 means all admins
	Action string   // only actions that begin with this text
	Text   string   // only entries whose target or detail contains this text, in any case
	Limit  int      // 1 to 1,000
}

// List returns entries, newest first. The cursor is the value of Before for the next page, or 0 after the last.
func (l *Log) List(ctx context.Context, q Query) (entries []Entry, cursor int64, err error) {
	if q.Limit < 1 || q.Limit > 1_000 {
		return nil, 0, graph.Errorf(graph.Invalid, "a page of %d entries; want 1 to 1,000", q.Limit)
	}
	r := kv.Range{Prefix: entryPrefix, Descending: true, Limit: 1_000}
	if q.Before > 0 {
		r.After = entryKey(q.Before)
	}
	for {
		found, err := l.kv.List(ctx, r)
		if err != nil || len(found) == 0 {
			return entries, 0, err
		}
		for _, stored := range found {
			var e Entry
			if err := json.Unmarshal(stored.Value, &e); err != nil {
				return nil, 0, graph.Wrap(graph.Internal, err, "cannot decode the entry %q", stored.Key)
			}
			if !q.selects(e) {
				continue
			}
			if entries = append(entries, e); len(entries) == q.Limit {
				return entries, e.Number, nil
			}
		}
		r.After = found[len(found)-1].Key
	}
}

func (q Query) selects(e Entry) bool {
	text := strings.ToLower(q.Text)
	return (q.By == 0 || q.By == e.By) && strings.HasPrefix(e.Action, q.Action) &&
		(strings.Contains(strings.ToLower(e.Target), text) || strings.Contains(strings.ToLower(e.Detail), text))
}
