package operation

import (
	"strings"
	"time"

	"github.com/weft-graph/weft/graph"
)

const (
	maxSlowQueries = 200
	maxPlanBytes   = 4 << 10
)

// A SlowQuery is a query that took long.
type SlowQuery struct {
	Number  int64     `json:"number"` // counts up from 1
	At      time.Time `json:"at"`
	Took    float64   `json:"took"`    // milliseconds
	Request string    `json:"request"` // id of the request, which is also in the log
	User    graph.ID  `json:"user"`
	Type    string    `json:"type"`            // type of the records from which the query starts
	Plan    string    `json:"plan"`            // steps of the query with their costs, cut to 4 KB
	Error   string    `json:"error,omitempty"` // error of the query; "" if it succeeded
}

// SlowQueries keeps the last slow queries.
type SlowQueries struct{ ring ring[SlowQuery] }

// NewSlowQueries returns an empty list.
func NewSlowQueries() *SlowQueries { return &SlowQueries{ring[SlowQuery]{size: maxSlowQueries}} }

// Add adds a query and sets its number. It cuts long strings.
func (s *SlowQueries) Add(q SlowQuery) {
	q.Plan, q.Error, q.Type = cut(q.Plan, maxPlanBytes), cut(q.Error, maxTextBytes), cut(q.Type, maxTextBytes)
	s.ring.add(func(number int64) SlowQuery {
		q.Number = number
		return q
	})
}

// List returns up to limit queries with numbers below before (0 means all), newest first, and the value of before for the next
// page, which is 0 after the last.
func (s *SlowQueries) List(before int64, limit int) (found []SlowQuery, next int64) {
	return s.ring.list(before, limit, func(SlowQuery) bool { return true })
}

// cut returns a copy of at most the first n bytes of text.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(strings.Clone(text[:n]), "") + "…"
}
