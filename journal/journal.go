// Package journal keeps what clients report: the log entries of pages and of the client library, the visits
// that can be read out of them, and the sessions that sites announce. Everything stands in the kv store
// beside the graph, under "log/", is cut to size and cleared of secrets before it gets there, and is
// forgotten after a while.
//
// What Append and its kin took is durable when they return.
package journal

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/kv"
)

// Options are what the operator decides.
type Options struct {
	Keep time.Duration // how long everything is kept; 0 means 30 days
	Most int64         // bytes of entries; beyond, the oldest go; 0 means 1 GiB
	Now  func() time.Time
}

// A Journal is safe for use by many goroutines, and by many servers where the database is.
type Journal struct {
	kv      kv.Store
	options Options
	size    size
	seen    novelty
}

// New returns the journal in a store.
func New(store kv.Store, o Options) *Journal {
	if o.Keep == 0 {
		o.Keep = 30 * 24 * time.Hour
	}
	if o.Most == 0 {
		o.Most = 1 << 30
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Journal{kv: store, options: o}
}

// Types are the logs there are: of applications, and of the client library.
var Types = []string{App, Client}

// The types of log.
const (
	App    = "app"
	Client = "client"
)

// Nobody is the user under whom entries stand that came without a sign-in.
const Nobody graph.ID = 998

// A Source is who sent entries.
type Source struct {
	User    graph.ID // Anonymous when nobody is signed in
	Session string
}

func (s Source) user() graph.ID {
	if s.User == graph.Anonymous {
		return Nobody
	}
	return s.User
}

// Limits on what is kept of one call.
const (
	MaxEntries = 1_000 // of one call
	maxEntry   = 16 << 10
	maxChunk   = 256 << 10
	maxSession = 100
)

// A chunk is the entries of one call, or a part of them: an entry of its own would cost more than it holds.
type chunk struct {
	User    graph.ID          `json:"user"`
	Session string            `json:"session,omitempty"`
	Entries []json.RawMessage `json:"entries"` // oldest first
}

// Append keeps entries, which are JSON objects. It returns an Invalid error for a type or an entry that is
// none, and TooLarge for more than MaxEntries.
func (j *Journal) Append(ctx context.Context, by Source, typ string, entries []json.RawMessage) error {
	if !slices.Contains(Types, typ) {
		return graph.Errorf(graph.Invalid, "%q is no log; want %s", graph.Clip(typ), strings.Join(Types, " or "))
	}
	if len(entries) > MaxEntries {
		return graph.Errorf(graph.TooLarge, "%d entries; the most is %d", len(entries), MaxEntries)
	}
	clean := make([]json.RawMessage, len(entries))
	for i, e := range entries {
		var err error
		if clean[i], err = cleaned(e); err != nil {
			return graph.Wrap(graph.Invalid, err, "invalid 'logs' data: entry %d", i)
		}
	}
	by.Session = clip(by.Session, maxSession)
	ops, bytes := j.puts(by, typ, clean)
	if err := j.commit(ctx, by, typ, clean, ops); err != nil {
		return err
	}
	_ = j.makeRoom(ctx, bytes) // the entries are kept; the next call tries again
	return nil
}

// puts are the operations that keep entries, in chunks.
func (j *Journal) puts(by Source, typ string, entries []json.RawMessage) (ops []kv.Op, bytes int64) {
	now, unique := j.options.Now(), strings.ToLower(rand.Text()[:10])
	until := now.Add(j.options.Keep)
	for n := 0; len(entries) > 0; n++ {
		stamp := fmt.Sprintf("%s-%s%03d", millis(now), unique, n)
		some := chunk{by.user(), by.Session, upTo(entries, maxChunk)}
		entries = entries[len(some.Entries):]
		value := encode(some)
		bytes += int64(len(value))
		ops = append(ops, kv.Put(entryKey(typ, stamp), value).Until(until))
		if by.user() != Nobody {
			ops = append(ops, kv.Put(ownKey(by.User, typ, stamp), []byte("1")).Until(until))
		}
	}
	return append(ops, kv.Add(sizeKey(now), bytes).Until(until.Add(24*time.Hour))), bytes
}

// upTo returns the first entries that together have at most so many bytes, and at least one.
func upTo(entries []json.RawMessage, most int) []json.RawMessage {
	n := 0
	for i, e := range entries {
		if n += len(e); n > most && i > 0 {
			return entries[:i]
		}
	}
	return entries
}

// commit writes the entries and the visits in them. Visits go on from what was last seen of a session, which
// somebody else may be writing: who is beaten to it too often writes all the same, and only the time spent on
// a page may be counted wrongly.
func (j *Journal) commit(ctx context.Context, by Source, typ string, entries []json.RawMessage, ops []kv.Op) error {
	var routes []route
	if typ == App {
		routes = j.routes(by, entries)
	}
	for attempt := 0; ; attempt++ {
		visits, err := j.visit(ctx, routes, attempt < attempts)
		if err != nil {
			return err
		}
		err = j.kv.Commit(ctx, append(slices.Clip(ops), visits...)...)
		if graph.KindOf(err) != graph.Conflict || attempt == attempts {
			return err
		}
	}
}

// attempts is how often a write is tried again when somebody else was faster.
const attempts = 8

func entryKey(typ, stamp string) string { return "log/entry/" + typ + "/" + stamp }

func ownKey(user graph.ID, typ, stamp string) string {
	return "log/own/" + user.String() + "/" + typ + "/" + stamp
}

// millis is a time as text that sorts as the time does.
func millis(t time.Time) string { return fmt.Sprintf("%013d", t.UnixMilli()) }

// encode writes one of our own records: they all have a JSON form.
func encode(v any) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// A novelty bounds how many different names strangers can make us keep.
type novelty struct {
	mu    sync.Mutex
	hour  int64
	names map[string]struct{}
}

// mostNames is for one hour and one server.
const mostNames = 5_000

// admit says whether there is room for a name. One that was admitted before is admitted again.
func (n *novelty) admit(now time.Time, name string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if hour := now.Unix() / 3600; hour != n.hour || n.names == nil {
		n.hour, n.names = hour, map[string]struct{}{}
	}
	if _, known := n.names[name]; known {
		return true
	}
	if len(n.names) == mostNames {
		return false
	}
	n.names[name] = struct{}{}
	return true
}
