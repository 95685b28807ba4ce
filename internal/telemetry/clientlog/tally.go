package clientlog

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
)

// A tally sums up counts. It receives the counts in order of their quarters.
type tally struct {
	query    VisitQuery
	result   Visits
	counts   int
	pages    map[[2]string]*PageVisits
	sessions map[[2]string]*SessionVisit
}

func newTally(q VisitQuery) *tally {
	return &tally{
		query:    q,
		result:   Visits{From: q.From.UTC().Truncate(Quarter), To: q.To.UTC(), Pages: []PageVisits{}, Latest: []SessionVisit{}, Quarter: []QuarterVisit{}},
		pages:    map[[2]string]*PageVisits{},
		sessions: map[[2]string]*SessionVisit{},
	}
}

// add counts one entry and reports whether to continue. It stops only between two quarters, so that a caller
// that continues from Next counts no entry twice.
func (t *tally) add(e kv.Entry) (more bool, err error) {
	parts := strings.SplitN(strings.TrimPrefix(e.Key, visitPrefix), "|", 4)
	n, err := strconv.ParseInt(string(e.Value), 10, 64)
	if err != nil || len(parts) != 4 {
		return false, graph.Wrap(graph.Internal, err, "entry %q is damaged", e.Key)
	}
	at, application, kind, name := receivedAt(parts[0]), parts[1], parts[2], parts[3]
	if !at.Before(t.result.To) {
		return false, nil
	}
	if quarters := t.result.Quarter; t.counts >= maxCounts && at.After(quarters[len(quarters)-1].At) {
		t.result.Next = &at
		return false, nil
	}
	t.counts++
	if t.query.Application == "" || t.query.Application == application {
		t.count(at, [2]string{application, name}, kind, n)
	}
	return true, nil
}

func (t *tally) count(at time.Time, key [2]string, kind string, n int64) {
	quarter := t.quarter(at)
	switch kind {
	case "page":
		t.result.Visits += n
		quarter.Visits += n
		t.page(key).Visits += n
	case "time":
		t.page(key).Seconds += float64(n) / 1000
	case "session":
		quarter.Sessions++
		s := t.sessions[key]
		if s == nil {
			s = &SessionVisit{Application: key[0], Session: key[1], First: at}
			t.sessions[key] = s
		}
		s.Visits += n
		s.Last = at
	}
}

func (t *tally) quarter(at time.Time) *QuarterVisit {
	if quarters := t.result.Quarter; len(quarters) == 0 || quarters[len(quarters)-1].At.Before(at) {
		t.result.Quarter = append(t.result.Quarter, QuarterVisit{At: at})
	}
	return &t.result.Quarter[len(t.result.Quarter)-1]
}

func (t *tally) page(key [2]string) *PageVisits {
	p := t.pages[key]
	if p == nil {
		p = &PageVisits{Application: key[0], Page: key[1]}
		t.pages[key] = p
	}
	return p
}

// sum returns the result with the most visited pages and the most recent sessions.
func (t *tally) sum() Visits {
	for _, p := range t.pages {
		t.result.Pages = append(t.result.Pages, *p)
	}
	slices.SortFunc(t.result.Pages, func(a, b PageVisits) int {
		return cmp.Or(cmp.Compare(b.Visits, a.Visits), cmp.Compare(a.Application, b.Application), cmp.Compare(a.Page, b.Page))
	})
	for _, s := range t.sessions {
		t.result.Latest = append(t.result.Latest, *s)
	}
	slices.SortFunc(t.result.Latest, func(a, b SessionVisit) int {
		return cmp.Or(b.Last.Compare(a.Last), cmp.Compare(a.Session, b.Session), cmp.Compare(a.Application, b.Application))
	})
	t.result.Count = len(t.sessions)
	t.result.Pages = t.result.Pages[:min(maxListed, len(t.result.Pages))]
	t.result.Latest = t.result.Latest[:min(maxListed, len(t.result.Latest))]
	return t.result
}
