package journal

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/kv"
)

// Quarter is the time that visits are counted by.
const Quarter = 15 * time.Minute

// longestStay is the most that one look at a page counts: who comes back later was away.
const longestStay = 30 * time.Minute

// A route is an entry that says which page somebody is on, or that they left.
type route struct {
	application, page, session string
	at                         time.Time
	leaves                     bool
}

// routes reads the entries of level ROUTE. Stamps that cannot be are taken for now.
func (j *Journal) routes(by Source, entries []json.RawMessage) (found []route) {
	now := j.options.Now().UTC()
	for _, raw := range entries {
		e := read(raw)
		if e.Level != "ROUTE" || e.Data.URL == "" {
			continue
		}
		at, err := time.Parse(time.RFC3339, string(e.Timestamp))
		at = at.UTC()
		if err != nil || at.After(now) || now.Sub(at) > 24*time.Hour {
			at = now
		}
		session := string(e.Data.Session)
		if session == "" {
			session = by.Session
		}
		found = append(found, route{
			name(string(e.Data.RequestFrom), 100), name(pageOf(string(e.Data.URL)), 200), name(session, 60),
			at, e.Message == "Unload",
		})
	}
	return found
}

// pageOf is an address without what stands behind the path: that is about people, not pages.
func pageOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		address, _, _ = strings.Cut(address, "?")
		address, _, _ = strings.Cut(address, "#")
		return address
	}
	u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment, u.User = "", false, "", "", nil
	return u.String()
}

// name makes a part of a key of what a stranger sent.
func name(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == '|' {
			return '_'
		}
		return r
	}, text)
	return clip(text, most)
}

// stay is the page that a session was last seen on.
type stay struct {
	Page string    `json:"page"`
	At   time.Time `json:"at"`
}

// visit are the operations that count routes: one more visit of a page and of a session, and the time spent
// on the page before. Unless it is careful the write succeeds whatever happened since.
func (j *Journal) visit(ctx context.Context, routes []route, careful bool) ([]kv.Op, error) {
	if len(routes) == 0 {
		return nil, nil
	}
	stays, versions, err := j.stays(ctx, routes)
	if err != nil {
		return nil, err
	}
	var ops []kv.Op
	for _, r := range routes {
		key := r.stayKey()
		until := r.at.Add(j.options.Keep)
		if was := stays[key]; was.Page != "" {
			if spent := r.at.Sub(was.At); spent > 0 && spent <= longestStay {
				left := r
				left.page, left.at = was.Page, was.At
				ops = append(ops, kv.Add(j.countKey(left, "time"), spent.Milliseconds()).Until(until))
			}
		}
		stays[key] = stay{}
		if r.leaves {
			continue
		}
		stays[key] = stay{r.page, r.at}
		ops = append(ops, kv.Add(j.countKey(r, "page"), 1).Until(until))
		if k := j.countKey(r, "session"); k != "" {
			ops = append(ops, kv.Add(k, 1).Until(until))
		}
	}
	for key, s := range stays {
		op := kv.Put(key, encode(s)).Until(s.At.Add(longestStay))
		if s.Page == "" {
			op = kv.Delete(key)
		}
		if careful {
			op = op.If(versions[key])
		}
		ops = append(ops, op)
	}
	return ops, nil
}

func (r route) stayKey() string { return "log/stay/" + r.application + "|" + r.session }

// stays returns where the sessions of routes were last, and the versions of what says so.
func (j *Journal) stays(ctx context.Context, routes []route) (map[string]stay, map[string]int64, error) {
	stays, versions, keys := map[string]stay{}, map[string]int64{}, []string{}
	for _, r := range routes {
		key := r.stayKey()
		if _, again := versions[key]; !again {
			versions[key], keys = kv.Absent, append(keys, key)
		}
	}
	found, err := j.kv.Get(ctx, keys...)
	for _, e := range found {
		var s stay
		if err := decode(e, &s); err != nil {
			return nil, nil, err
		}
		stays[e.Key], versions[e.Key] = s, e.Version
	}
	return stays, versions, err
}

const visitPrefix = "log/visit/"

// other stands for the pages beyond those a server keeps apart in an hour.
const other = "(other)"

// countKey is the key of a count: of visits to a page, of the time there in milliseconds, or of the visits
// of a session, which has none when there are too many.
func (j *Journal) countKey(r route, what string) string {
	of := r.page
	if what == "session" {
		of = r.session
	}
	if !j.seen.admit(j.options.Now(), r.application+"|"+what+"|"+of) {
		if what == "session" {
			return ""
		}
		r.application, of = other, other
	}
	return visitPrefix + millis(r.at.Truncate(Quarter)) + "|" + r.application + "|" + what + "|" + of
}

// Visits are the visits to pages in a time.
type Visits struct {
	From    time.Time      `json:"from"`
	To      time.Time      `json:"to"`
	Visits  int64          `json:"visits"`
	Pages   []PageVisits   `json:"pages"`       // the most visited first
	Count   int            `json:"sessions"`    // how many there were
	Latest  []SessionVisit `json:"sessionList"` // those seen last first
	Quarter []QuarterVisit `json:"quarters"`    // those with visits, the oldest first
	// Next is the quarter to go on from, when there was too much to count at once.
	Next *time.Time `json:"next,omitempty"`
}

// PageVisits are those to one page of an application.
type PageVisits struct {
	Application string `json:"application"`
	Page        string `json:"page"`
	Visits      int64  `json:"visits"`
	// Seconds is how long they stayed, as far as it is known: until the next page or until they left.
	Seconds float64 `json:"seconds"`
}

// A SessionVisit is a session that was there.
type SessionVisit struct {
	Application string    `json:"application"`
	Session     string    `json:"session"`
	Visits      int64     `json:"visits"`
	First       time.Time `json:"first"` // the quarter it began in
	Last        time.Time `json:"last"`
}

// QuarterVisit is what happened in a quarter of an hour.
type QuarterVisit struct {
	At       time.Time `json:"at"`
	Visits   int64     `json:"visits"`
	Sessions int       `json:"sessions"`
}

// Limits on one answer about visits.
const (
	MaxVisitTime = 31 * 24 * time.Hour
	mostCounts   = 50_000
	countStep    = 1_000
	mostListed   = 500
)

// A VisitQuery asks for the visits of an application, or of all if it is "", from one moment to another.
type VisitQuery struct {
	Application string
	From, To    time.Time
}

// Visits counts the visits in whole quarters.
func (j *Journal) Visits(ctx context.Context, q VisitQuery) (Visits, error) {
	if !q.From.Before(q.To) || q.To.Sub(q.From) > MaxVisitTime {
		return Visits{}, graph.Errorf(graph.Invalid, "from %s to %s is not a time of up to %d days",
			q.From.Format(time.RFC3339), q.To.Format(time.RFC3339), int(MaxVisitTime.Hours()/24))
	}
	t := newTally(q)
	after := visitPrefix + millis(t.answer.From)
	for {
		counts, err := j.kv.List(ctx, kv.Range{Prefix: visitPrefix, After: after, Limit: countStep})
		if err != nil {
			return Visits{}, err
		}
		for _, c := range counts {
			more, err := t.add(c)
			if err != nil || !more {
				return t.sum(), err
			}
		}
		if len(counts) < countStep {
			return t.sum(), nil
		}
		after = counts[len(counts)-1].Key
	}
}
