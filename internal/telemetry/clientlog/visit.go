package clientlog

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
)

// Quarter is the period for which visits are counted.
const Quarter = 15 * time.Minute

// longestStay is the maximum time on a page that is counted. A longer time is not counted at all, because the visitor
// was probably away.
const longestStay = 30 * time.Minute

// A route is an entry that reports that a visitor reached or left a page.
type route struct {
	application, page, session string
	at                         time.Time
	isLeaving                  bool
}

// routes returns the entries of level ROUTE. Timestamps that are malformed, in the future or older than a day are
// replaced with the current time.
func (l *Log) routes(source Source, entries []json.RawMessage) (found []route) {
	now := l.options.Now().UTC()
	for _, raw := range entries {
		e := parseEntry(raw)
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
			session = source.Session
		}
		found = append(found, route{
			keyPart(string(e.Data.RequestFrom), 100), keyPart(pageOf(string(e.Data.URL)), 200), keyPart(session, 60),
			at, e.Message == "Unload",
		})
	}
	return found
}

// pageOf returns a URL without credentials, query and fragment, which identify visitors rather than pages.
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

// keyPart converts untrusted text to a part of a key.
func keyPart(text string, maxBytes int) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == '|' {
			return '_'
		}
		return r
	}, text)
	return clip(text, maxBytes)
}

// A stay is the last page of a session, and the time at which the session reached it.
type stay struct {
	Page string    `json:"page"`
	At   time.Time `json:"at"`
}

// countRoutes returns the operations that count routes: a visit of a page and of a session, and the time spent on the
// previous page. If checkVersions is true, the operations fail with a Conflict if another server has changed a stay.
func (l *Log) countRoutes(ctx context.Context, routes []route, checkVersions bool) ([]kv.Op, error) {
	if len(routes) == 0 {
		return nil, nil
	}
	stays, versions, err := l.stays(ctx, routes)
	if err != nil {
		return nil, err
	}
	var ops []kv.Op
	for _, r := range routes {
		key := r.stayKey()
		until := r.at.Add(l.options.Keep)
		if last := stays[key]; last.Page != "" {
			if spent := r.at.Sub(last.At); spent > 0 && spent <= longestStay {
				previous := r
				previous.page, previous.at = last.Page, last.At
				ops = append(ops, kv.Add(l.countKey(previous, "time"), spent.Milliseconds()).Until(until))
			}
		}
		stays[key] = stay{}
		if r.isLeaving {
			continue
		}
		stays[key] = stay{r.page, r.at}
		ops = append(ops, kv.Add(l.countKey(r, "page"), 1).Until(until))
		if k := l.countKey(r, "session"); k != "" {
			ops = append(ops, kv.Add(k, 1).Until(until))
		}
	}
	for key, s := range stays {
		op := kv.Put(key, encode(s)).Until(s.At.Add(longestStay))
		if s.Page == "" {
			op = kv.Delete(key)
		}
		if checkVersions {
			op = op.If(versions[key])
		}
		ops = append(ops, op)
	}
	return ops, nil
}

func (r route) stayKey() string { return "log/stay/" + r.application + "|" + r.session }

// stays returns the last known pages of the sessions of routes, and the versions of these entries.
func (l *Log) stays(ctx context.Context, routes []route) (map[string]stay, map[string]int64, error) {
	stays, versions, keys := map[string]stay{}, map[string]int64{}, []string{}
	for _, r := range routes {
		key := r.stayKey()
		if _, known := versions[key]; !known {
			versions[key], keys = kv.Absent, append(keys, key)
		}
	}
	found, err := l.kv.Get(ctx, keys...)
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

// otherName replaces the names beyond the hourly limit; see nameLimit.
const otherName = "(other)"

// countKey returns the key of a count. The kind is "page" for visits to a page, "time" for the time on the page in
// milliseconds, or "session" for visits in a session. The key is "" for a session beyond the hourly limit.
func (l *Log) countKey(r route, kind string) string {
	name := r.page
	if kind == "session" {
		name = r.session
	}
	if !l.names.admit(l.options.Now(), r.application+"|"+kind+"|"+name) {
		if kind == "session" {
			return ""
		}
		r.application, name = otherName, otherName
	}
	return visitPrefix + millis(r.at.Truncate(Quarter)) + "|" + r.application + "|" + kind + "|" + name
}

// Visits describes the visits to pages in a period.
type Visits struct {
	From    time.Time      `json:"from"`
	To      time.Time      `json:"to"`
	Visits  int64          `json:"visits"`
	Pages   []PageVisits   `json:"pages"`       // most visited first
	Count   int            `json:"sessions"`    // number of sessions
	Latest  []SessionVisit `json:"sessionList"` // most recent first
	Quarter []QuarterVisit `json:"quarters"`    // quarters with visits, oldest first
	// Next is the quarter from which to continue, if there were too many counts for one result.
	Next *time.Time `json:"next,omitempty"`
}

// PageVisits describes the visits to one page of an application.
type PageVisits struct {
	Application string `json:"application"`
	Page        string `json:"page"`
	Visits      int64  `json:"visits"`
	// Seconds is the known time that visitors spent on the page, until they opened the next page or left.
	Seconds float64 `json:"seconds"`
}

// A SessionVisit is a session with visits.
type SessionVisit struct {
	Application string    `json:"application"`
	Session     string    `json:"session"`
	Visits      int64     `json:"visits"`
	First       time.Time `json:"first"` // first quarter of the period in which the session has visits
	Last        time.Time `json:"last"`  // last quarter of the period in which the session has visits
}

// QuarterVisit describes the visits in a quarter of an hour.
type QuarterVisit struct {
	At       time.Time `json:"at"`
	Visits   int64     `json:"visits"`
	Sessions int       `json:"sessions"`
}

// Limits of one result about visits.
const (
	MaxVisitTime = 31 * 24 * time.Hour
	maxCounts    = 50_000 // number of counts after which a result ends with the current quarter
	countStep    = 1_000  // counts in one read
	maxListed    = 500    // pages, and sessions, in a result
)

// A VisitQuery selects the visits of an application in a period. An empty Application means all applications.
type VisitQuery struct {
	Application string
	From, To    time.Time
}

// Visits counts the visits in whole quarters. The error is Invalid for an empty period and for a period longer than
// MaxVisitTime.
func (l *Log) Visits(ctx context.Context, q VisitQuery) (Visits, error) {
	if !q.From.Before(q.To) || q.To.Sub(q.From) > MaxVisitTime {
		return Visits{}, graph.Errorf(graph.Invalid, "from %s to %s is not a period of up to %d days",
			q.From.Format(time.RFC3339), q.To.Format(time.RFC3339), int(MaxVisitTime.Hours()/24))
	}
	t := newTally(q)
	after := visitPrefix + millis(t.result.From)
	for {
		counts, err := l.kv.List(ctx, kv.Range{Prefix: visitPrefix, After: after, Limit: countStep})
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
