package clientlog

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
)

// A Query selects entries. Zero fields match anything.
type Query struct {
	Type    string
	User    graph.ID
	Level   string
	Session string // session of the sender, or the session named in the entry
	Text    string // occurs anywhere in the entry, ignoring case
	From    time.Time
	To      time.Time // From and To limit the time of arrival
	Before  string    // the cursor of the previous page
	Limit   int       // 0 means 100
}

// MaxPage is the maximum number of entries in a page.
const MaxPage = 1_000

// A Page is a page of matching entries, newest first.
type Page struct {
	Data []Record `json:"data"`
	// Before is the cursor of the next page; "" on the last page. A page that would take too long to fill ends early
	// and may be empty.
	Before string `json:"before,omitempty"`
}

// A Record is an entry with its origin.
type Record struct {
	ID       string          `json:"id"`
	Type     string          `json:"type"`
	Received time.Time       `json:"received"`
	User     graph.ID        `json:"user"`
	Session  string          `json:"session,omitempty"`
	Entry    json.RawMessage `json:"entry"`
}

// At most maxChunks chunks are read for a page, readStep at a time.
const (
	maxChunks = 256
	readStep  = 16
)

// Search returns a page of entries. The error is Invalid for a malformed query.
func (l *Log) Search(ctx context.Context, q Query) (Page, error) {
	page := Page{Data: []Record{}}
	after, from, err := q.start()
	if err != nil {
		return page, err
	}
	for read := 0; read < maxChunks; {
		chunks, err := l.chunksBefore(ctx, q, after)
		if err != nil {
			return page, err
		}
		if len(chunks) == 0 {
			page.Before = ""
			return page, nil
		}
		for _, c := range chunks {
			typ, stamp := splitKey(c.Key)
			if receivedAt(stamp).Before(q.From) {
				page.Before = ""
				return page, nil
			}
			if err := q.addMatches(&page, c, typ, stamp, from); err != nil || len(page.Data) == q.Limit {
				return page, err
			}
			after, from = stamp, beyondEntries
			page.Before = stamp + ".0"
		}
		read += len(chunks)
	}
	return page, nil
}

// beyondEntries is greater than the index of any entry.
const beyondEntries = 1 << 30

// start returns the position at which a query begins. The query reads chunks whose stamps sort before after. In the
// first of these chunks, it reads only the entries before from. It sets the default of Limit. The error is Invalid
// for a malformed query.
func (q *Query) start() (after string, from int, err error) {
	if q.Limit == 0 {
		q.Limit = 100
	}
	if q.Limit < 0 || q.Limit > MaxPage {
		return "", 0, graph.Errorf(graph.Invalid, "a page of %d entries; want 1 to %d", q.Limit, MaxPage)
	}
	if q.Type != "" && !slices.Contains(Types, q.Type) {
		return "", 0, graph.Errorf(graph.Invalid, "unknown log %q; want %s", graph.Clip(q.Type), strings.Join(Types, " or "))
	}
	if q.Before != "" {
		stamp, number, _ := strings.Cut(q.Before, ".")
		from, err := strconv.Atoi(number)
		if err != nil || from < 0 || len(stamp) > 100 || strings.ContainsAny(stamp, "/\x00") {
			return "", 0, graph.Errorf(graph.Invalid, "malformed cursor %q", graph.Clip(q.Before))
		}
		return stamp + "!", from, nil // "!" sorts after the end of a stamp and before every character of a stamp
	}
	if !q.To.IsZero() {
		return millis(q.To.Add(time.Millisecond)), beyondEntries, nil
	}
	return "~", beyondEntries, nil
}

// chunksBefore lists the chunks before a stamp, newest first.
func (l *Log) chunksBefore(ctx context.Context, q Query, stamp string) ([]kv.Entry, error) {
	var found []kv.Entry
	for _, typ := range Types {
		if q.Type != "" && q.Type != typ {
			continue
		}
		part, err := l.typeChunksBefore(ctx, q.User, typ, stamp)
		if err != nil {
			return nil, err
		}
		found = append(found, part...)
	}
	sortByStamp(found)
	slices.Reverse(found)
	return found[:min(readStep, len(found))], nil
}

func (l *Log) typeChunksBefore(ctx context.Context, user graph.ID, typ, stamp string) ([]kv.Entry, error) {
	r := kv.Range{Prefix: entryKey(typ, ""), After: entryKey(typ, stamp), Descending: true, Limit: readStep}
	if user == 0 || user == GuestUser {
		return l.kv.List(ctx, r)
	}
	r.Prefix, r.After = ownKey(user, typ, ""), ownKey(user, typ, stamp)
	own, err := l.kv.List(ctx, r)
	if err != nil || len(own) == 0 {
		return nil, err
	}
	keys := make([]string, len(own))
	for i, e := range own {
		_, stamp := splitKey(e.Key)
		keys[i] = entryKey(typ, stamp)
	}
	return l.kv.Get(ctx, keys...)
}

func sortByStamp(chunks []kv.Entry) {
	slices.SortFunc(chunks, func(a, b kv.Entry) int {
		_, x := splitKey(a.Key)
		_, y := splitKey(b.Key)
		return cmp.Compare(x, y)
	})
}

// addMatches adds the matching entries of a chunk, newest first, up to the limit.
func (q *Query) addMatches(page *Page, e kv.Entry, typ, stamp string, from int) error {
	var c chunk
	if err := decode(e, &c); err != nil {
		return err
	}
	if q.User != 0 && q.User != c.User {
		return nil
	}
	for i := min(from, len(c.Entries)) - 1; i >= 0 && len(page.Data) < q.Limit; i-- {
		if q.matches(c, c.Entries[i]) {
			id := fmt.Sprintf("%s.%d", stamp, i)
			page.Data = append(page.Data, Record{id, typ, receivedAt(stamp), c.User, c.Session, c.Entries[i]})
			page.Before = id
		}
	}
	return nil
}

func (q *Query) matches(c chunk, entry json.RawMessage) bool {
	if q.Text != "" && !bytes.Contains(bytes.ToLower(entry), bytes.ToLower([]byte(q.Text))) {
		return false
	}
	if q.Level == "" && q.Session == "" {
		return true
	}
	e := parseEntry(entry)
	return (q.Level == "" || strings.EqualFold(q.Level, string(e.Level))) &&
		(q.Session == "" || q.Session == c.Session || q.Session == string(e.Session) || q.Session == string(e.Data.Session))
}

// An entry holds the members of a log entry that this package reads.
type entry struct {
	Timestamp loose `json:"timestamp"`
	Level     loose `json:"level"`
	Message   loose `json:"message"`
	Session   loose `json:"sessionId"`
	Data      struct {
		URL         loose `json:"url"`
		RequestFrom loose `json:"requestFrom"`
		Session     loose `json:"sessionId"`
	} `json:"data"`
}

func parseEntry(raw json.RawMessage) entry {
	var e entry
	_ = json.Unmarshal(raw, &e) // members of other types stay empty
	return e
}

// loose decodes from a string or a number; any other value is "".
type loose string

// UnmarshalJSON implements json.Unmarshaler.
func (l *loose) UnmarshalJSON(raw []byte) error {
	var text string
	var number json.Number
	switch {
	case json.Unmarshal(raw, &text) == nil:
		*l = loose(text)
	case json.Unmarshal(raw, &number) == nil:
		*l = loose(number)
	}
	return nil
}

func decode(e kv.Entry, into any) error {
	if err := json.Unmarshal(e.Value, into); err != nil {
		return graph.Wrap(graph.Internal, err, "entry %q is damaged", e.Key)
	}
	return nil
}
