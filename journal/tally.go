package journal

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/kv"
)

// A tally adds up counts, in order of their quarters.
type tally struct {
	query    VisitQuery
	answer   Visits
	counts   int
	pages    map[[2]string]*PageVisits
	sessions map[[2]string]*SessionVisit
}

func newTally(q VisitQuery) *tally {
	return &tally{
		query:    q,
		answer:   Visits{From: q.From.UTC().Truncate(Quarter), To: q.To.UTC(), Pages: []PageVisits{}, Latest: []SessionVisit{}, Quarter: []QuarterVisit{}},
		pages:    map[[2]string]*PageVisits{},
		sessions: map[[2]string]*SessionVisit{},
	}
}

// add counts one entry, and says whether to go on. It stops between two quarters, so that whoever goes on
// from Next counts nothing twice.
func (t *tally) add(e kv.Entry) (more bool, err error) {
	parts := strings.SplitN(strings.TrimPrefix(e.Key, visitPrefix), "|", 4)
	n, err := strconv.ParseInt(string(e.Value), 10, 64)
	if err != nil || len(parts) != 4 {
		return false, graph.Wrap(graph.Internal, err, "the entry %q is damaged", e.Key)
	}
	at, application, what, of := receivedAt(parts[0]), parts[1], parts[2], parts[3]
	if !at.Before(t.answer.To) {
		return false, nil
	}
	if quarters := t.answer.Quarter; t.counts >= mostCounts && at.After(quarters[len(quarters)-1].At) {
		t.answer.Next = &at
		return false, nil
	}
	t.counts++
	if t.query.Application == "" || t.query.Application == application {
		t.count(at, [2]string{application, of}, what, n)
	}
	return true, nil
}

func (t *tally) count(at time.Time, key [2]string, what string, n int64) {
	quarter := t.quarter(at)
	switch what {
	case "page":
		t.answer.Visits += n
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
	if quarters := t.answer.Quarter; len(quarters) == 0 || quarters[len(quarters)-1].At.Before(at) {
		t.answer.Quarter = append(t.answer.Quarter, QuarterVisit{At: at})
	}
	return &t.answer.Quarter[len(t.answer.Quarter)-1]
}

func (t *tally) page(key [2]string) *PageVisits {
	p := t.pages[key]
	if p == nil {
		p = &PageVisits{Application: key[0], Page: key[1]}
		t.pages[key] = p
	}
	return p
}

// sum lists the pages with the most visits and the sessions seen last.
func (t *tally) sum() Visits {
	for _, p := range t.pages {
		t.answer.Pages = append(t.answer.Pages, *p)
	}
	slices.SortFunc(t.answer.Pages, func(a, b PageVisits) int {
		return cmp.Or(cmp.Compare(b.Visits, a.Visits), cmp.Compare(a.Application, b.Application), cmp.Compare(a.Page, b.Page))
	})
	for _, s := range t.sessions {
		t.answer.Latest = append(t.answer.Latest, *s)
	}
	slices.SortFunc(t.answer.Latest, func(a, b SessionVisit) int {
		return cmp.Or(b.Last.Compare(a.Last), cmp.Compare(a.Session, b.Session), cmp.Compare(a.Application, b.Application))
	})
	t.answer.Count = len(t.sessions)
	t.answer.Pages = t.answer.Pages[:min(mostListed, len(t.answer.Pages))]
	t.answer.Latest = t.answer.Latest[:min(mostListed, len(t.answer.Latest))]
	return t.answer
}
