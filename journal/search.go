package journal

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
	"github.com/weft-graph/weft/kv"
)

// A Query asks for entries. What is zero matches anything.
type Query struct {
	Type    string
	User    graph.ID
	Level   string
	Session string // of the sender, or in the entry
	Text    string // found anywhere in the entry, in any case of letters
	From    time.Time
	To      time.Time // both are moments at which entries arrived
	Before  string    // the Before of the page that was read last
	Limit   int       // 0 means 100
}

// MaxPage is the most entries of a page.
const MaxPage = 1_000

// A Page is a part of the entries that match, the newest first.
type Page struct {
	Data []Record `json:"data"`
	// Before is where to go on; "" when there is no more. A page that took too long to fill goes on too,
	// even if it is empty.
	Before string `json:"before,omitempty"`
}

// A Record is an entry and what is known of how it came.
type Record struct {
	ID       string          `json:"id"`
	Type     string          `json:"type"`
	Received time.Time       `json:"received"`
	User     graph.ID        `json:"user"`
	Session  string          `json:"session,omitempty"`
	Entry    json.RawMessage `json:"entry"`
}

// mostChunks are read for a page, in steps that bound what is held at once.
const (
	mostChunks = 256
	readStep   = 16
)

// Search returns a page of entries. It returns an Invalid error for a query that makes no sense.
func (j *Journal) Search(ctx context.Context, q Query) (Page, error) {
	page := Page{Data: []Record{}}
	after, from, err := q.start()
	if err != nil {
		return page, err
	}
	for read := 0; read < mostChunks; {
		chunks, err := j.older(ctx, q, after)
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
			if err := q.take(&page, c, typ, stamp, from); err != nil || len(page.Data) == q.Limit {
				return page, err
			}
			after, from = stamp, none
			page.Before = stamp + ".0"
		}
		read += len(chunks)
	}
	return page, nil
}

// none is more than the number of any entry.
const none = 1 << 30

// start reads where a query begins: behind chunk after, or in it before entry from.
func (q *Query) start() (after string, from int, err error) {
	if q.Limit == 0 {
		q.Limit = 100
	}
	if q.Limit < 0 || q.Limit > MaxPage {
		return "", 0, graph.Errorf(graph.Invalid, "a page of %d entries; want 1 to %d", q.Limit, MaxPage)
	}
	if q.Type != "" && !slices.Contains(Types, q.Type) {
		return "", 0, graph.Errorf(graph.Invalid, "%q is no log; want %s", graph.Clip(q.Type), strings.Join(Types, " or "))
	}
	if q.Before != "" {
		stamp, number, _ := strings.Cut(q.Before, ".")
		from, err := strconv.Atoi(number)
		if err != nil || from < 0 || len(stamp) > 100 || strings.ContainsAny(stamp, "/\x00") {
			return "", 0, graph.Errorf(graph.Invalid, "%q is no place to go on from", graph.Clip(q.Before))
		}
		return stamp + "!", from, nil // "!" sorts behind the end of a stamp and before all that is in one
	}
	if !q.To.IsZero() {
		return millis(q.To.Add(time.Millisecond)), none, nil
	}
	return "~", none, nil
}

// older lists the next chunks before a stamp, the newest first.
func (j *Journal) older(ctx context.Context, q Query, stamp string) ([]kv.Entry, error) {
	var found []kv.Entry
	for _, typ := range Types {
		if q.Type != "" && q.Type != typ {
			continue
		}
		some, err := j.olderOf(ctx, q.User, typ, stamp)
		if err != nil {
			return nil, err
		}
		found = append(found, some...)
	}
	byStamp(found)
	slices.Reverse(found)
	return found[:min(readStep, len(found))], nil
}

func (j *Journal) olderOf(ctx context.Context, user graph.ID, typ, stamp string) ([]kv.Entry, error) {
	r := kv.Range{Prefix: entryKey(typ, ""), After: entryKey(typ, stamp), Descending: true, Limit: readStep}
	if user == 0 || user == Nobody {
		return j.kv.List(ctx, r)
	}
	r.Prefix, r.After = ownKey(user, typ, ""), ownKey(user, typ, stamp)
	own, err := j.kv.List(ctx, r)
	if err != nil || len(own) == 0 {
		return nil, err
	}
	keys := make([]string, len(own))
	for i, e := range own {
		_, stamp := splitKey(e.Key)
		keys[i] = entryKey(typ, stamp)
	}
	return j.kv.Get(ctx, keys...)
}

func byStamp(chunks []kv.Entry) {
	slices.SortFunc(chunks, func(a, b kv.Entry) int {
		_, x := splitKey(a.Key)
		_, y := splitKey(b.Key)
		return cmp.Compare(x, y)
	})
}

// take adds the matching entries of a chunk, the newest first, up to the limit.
func (q *Query) take(page *Page, e kv.Entry, typ, stamp string, from int) error {
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
	e := read(entry)
	return (q.Level == "" || strings.EqualFold(q.Level, string(e.Level))) &&
		(q.Session == "" || q.Session == c.Session || q.Session == string(e.Session) || q.Session == string(e.Data.Session))
}

// An entry is what the journal itself reads of one.
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

func read(raw json.RawMessage) entry {
	var e entry
	_ = json.Unmarshal(raw, &e) // what has another shape is not read
	return e
}

// loose is a text, or a number as text; of anything else nothing.
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
		return graph.Wrap(graph.Internal, err, "the entry %q is damaged", e.Key)
	}
	return nil
}
