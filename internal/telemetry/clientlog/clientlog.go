// Package clientlog stores client logs: log entries that browsers send about pages and about the client library, the
// visits that are derived from them, and the sessions that sites report. See docs/decisions/0013.
//
// The feature has these other parts:
//
//	web/client/src/logger                 collects and sends entries (@weft/client/logger)
//	POST /api/logger, GET /api/logs       internal/server/clientlogs.go
//	sessions and visits                   internal/server/visits.go
//	--log-keep, --log-most                cmd/weft/serve_clients.go; the defaults are DefaultKeep and DefaultMaxBytes
//	documentation                         docs/http.md, docs/operations.md
//
// The log of the server itself (--log-level, --log-format) is set up in cmd/weft/serve_log.go.
//
// Everything is in the kv store next to the graph, under "log/". Data is redacted and cut before it is stored, and
// expires:
//
//	log/entry/TYPE/STAMP        a chunk: the entries of one call, or a part of them
//	log/own/USER/TYPE/STAMP     the chunks of a user
//	log/size/DAY                bytes that were added on a day, minus those that were deleted early
//	log/visit/QUARTER|…         counts of visits, time and sessions, per quarter of an hour
//	log/stay/APP|SESSION        the last page of a session
//	log/session/ID, log/page/…  reported sessions and their page visits
//
// A stamp is the time of arrival followed by a unique suffix. Append costs one commit, whatever the number of entries.
// A search reads chunks from the newest backwards, a bounded number for each page of results. Visits are read from the
// counts, never from entries.
//
// Data is durable when the call that stores it returns.
package clientlog

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
)

// Options are the settings of the operator.
type Options struct {
	Keep     time.Duration // how long data is kept; 0 means DefaultKeep
	MaxBytes int64         // maximum bytes of entries; the oldest are deleted first; 0 means DefaultMaxBytes
	Now      func() time.Time
}

// The defaults of Options, also of the flags --log-keep and --log-most.
const (
	DefaultKeep     = 30 * 24 * time.Hour
	DefaultMaxBytes = 1 << 30
)

// A Log is safe for concurrent use by goroutines, and by several servers of one database.
type Log struct {
	kv      kv.Store
	options Options
	size    size
	names   nameLimit
	calls   atomic.Int64 // number of calls of Append; see entryOps
}

// New returns the log in a store.
func New(store kv.Store, o Options) *Log {
	if o.Keep == 0 {
		o.Keep = DefaultKeep
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Log{kv: store, options: o}
}

// Types lists the types of log.
var Types = []string{App, Client}

// The types of log. A client writes two logs: the entries of the application (Logger.logApplication, and the visits
// of sites), and the entries of the client library about itself.
const (
	App    = "app"
	Client = "client" // "mftsccs" in the contract
)

// GuestUser is the user of entries that were sent without signing in. The contract defines the id.
const GuestUser graph.ID = 998

// A Source identifies the sender of entries.
type Source struct {
	User    graph.ID // Anonymous for guests
	Session string
}

// user returns the user of the entries, which is GuestUser for guests.
func (s Source) user() graph.ID {
	if s.User == graph.Anonymous {
		return GuestUser
	}
	return s.User
}

// Limits of one call.
const (
	MaxEntries = 1_000     // entries per call
	maxEntry   = 16 << 10  // bytes of an entry; a longer entry is cut
	maxChunk   = 256 << 10 // bytes of the entries of a chunk
	maxSession = 100       // bytes of the name of a session
)

// A chunk holds the entries of one call, or a part of them, because a row for each entry would take more space than
// the entry.
type chunk struct {
	User    graph.ID          `json:"user"`
	Session string            `json:"session,omitempty"`
	Entries []json.RawMessage `json:"entries"` // oldest first
}

// Append stores entries, which are JSON objects. The error is Invalid for an unknown type and for an entry that is not
// an object, and TooLarge for more than MaxEntries.
func (l *Log) Append(ctx context.Context, source Source, typ string, entries []json.RawMessage) error {
	if !slices.Contains(Types, typ) {
		return graph.Errorf(graph.Invalid, "unknown log %q; want %s", graph.Clip(typ), strings.Join(Types, " or "))
	}
	if len(entries) > MaxEntries {
		return graph.Errorf(graph.TooLarge, "%d entries: more than the limit of %d", len(entries), MaxEntries)
	}
	clean := make([]json.RawMessage, len(entries))
	for i, e := range entries {
		var err error
		if clean[i], err = cleanEntry(e); err != nil {
			return graph.Wrap(graph.Invalid, err, "invalid 'logs' data: entry %d", i)
		}
	}
	source.Session = clip(source.Session, maxSession)
	ops, bytes := l.entryOps(source, typ, clean)
	if err := l.commit(ctx, source, typ, clean, ops); err != nil {
		return err
	}
	_ = l.deleteOldest(ctx, bytes) // the entries are stored; the next call tries again
	return nil
}

// entryOps returns the operations that store entries in chunks.
func (l *Log) entryOps(source Source, typ string, entries []json.RawMessage) (ops []kv.Op, bytes int64) {
	now := l.options.Now()
	// The number of the call determines the order of calls in the same millisecond. The random part distinguishes
	// the servers of one database.
	unique := fmt.Sprintf("%06d%s", l.calls.Add(1)%1_000_000, strings.ToLower(rand.Text()[:10]))
	until := now.Add(l.options.Keep)
	for n := 0; len(entries) > 0; n++ {
		stamp := fmt.Sprintf("%s-%s%03d", millis(now), unique, n)
		part := chunk{source.user(), source.Session, upTo(entries, maxChunk)}
		entries = entries[len(part.Entries):]
		value := encode(part)
		bytes += int64(len(value))
		ops = append(ops, kv.Put(entryKey(typ, stamp), value).Until(until))
		if source.user() != GuestUser {
			ops = append(ops, kv.Put(ownKey(source.User, typ, stamp), []byte("1")).Until(until))
		}
	}
	return append(ops, kv.Add(sizeKey(now), bytes).Until(until.Add(24*time.Hour))), bytes
}

// upTo returns the first entries, as many as have at most maxBytes together, but at least one.
func upTo(entries []json.RawMessage, maxBytes int) []json.RawMessage {
	n := 0
	for i, e := range entries {
		if n += len(e); n > maxBytes && i > 0 {
			return entries[:i]
		}
	}
	return entries
}

// commit writes entries and the visits in them. A visit continues the last known page of a session, which another
// server may write at the same time. After maxAttempts conflicts, commit writes the visit without checking for
// such writes. Only the time spent on a page may then be wrong.
func (l *Log) commit(ctx context.Context, source Source, typ string, entries []json.RawMessage, ops []kv.Op) error {
	var routes []route
	if typ == App {
		routes = l.routes(source, entries)
	}
	for attempt := 0; ; attempt++ {
		visits, err := l.countRoutes(ctx, routes, attempt < maxAttempts)
		if err != nil {
			return err
		}
		err = l.kv.Commit(ctx, append(slices.Clip(ops), visits...)...)
		if graph.KindOf(err) != graph.Conflict || attempt == maxAttempts {
			return err
		}
	}
}

// maxAttempts is the maximum number of times that a write is repeated after a conflict.
const maxAttempts = 8

func entryKey(typ, stamp string) string { return "log/entry/" + typ + "/" + stamp }

func ownKey(user graph.ID, typ, stamp string) string {
	return "log/own/" + user.String() + "/" + typ + "/" + stamp
}

// millis formats a time as text that sorts like the time.
func millis(t time.Time) string { return fmt.Sprintf("%013d", t.UnixMilli()) }

// encode returns a value as JSON. It panics if a value cannot be encoded; the values of this package always can.
func encode(v any) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// A nameLimit limits the number of distinct names that guests can add to the store.
type nameLimit struct {
	mu    sync.Mutex
	hour  int64
	names map[string]struct{}
}

// maxNames is the maximum number of distinct names per hour and server process.
const maxNames = 5_000

// admit reports whether a name is within the limit. A name that was admitted in this hour is admitted again.
func (n *nameLimit) admit(now time.Time, name string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if hour := now.Unix() / 3600; hour != n.hour || n.names == nil {
		n.hour, n.names = hour, map[string]struct{}{}
	}
	if _, known := n.names[name]; known {
		return true
	}
	if len(n.names) == maxNames {
		return false
	}
	n.names[name] = struct{}{}
	return true
}
