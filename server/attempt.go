package server

import (
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/weft-graph/weft/graph"
)

// attempts bound how often somebody may try what costs or tells something: by the address they come from, and
// by the account they name. Each server counts for itself.
type attempts struct {
	most int // at once, and again in each span
	mu   sync.Mutex
	of   map[string]*rate.Limiter
}

// mostAttempts bounds the memory that takes.
const mostAttempts = 20_000

// guess counts an attempt at something that may be guessed, of somebody. A TooMany error says that it has to
// wait, and its answer for how long.
func (s *Server) guess(q *request, what, of string) error {
	wait := s.attempts.wait(s.from(q, what), time.Minute)
	if wait == 0 {
		wait = s.attempts.wait(what+" of "+strings.ToLower(of[:min(len(of), longestName)]), 10*time.Minute)
	}
	return q.held(wait)
}

// redeem counts an attempt with a token, which nobody guesses; it is the work that is bounded.
func (s *Server) redeem(q *request, what string) error {
	return q.held(s.attempts.wait(s.from(q, what), 6*time.Second))
}

// longestName is in bytes; what is longer is nobody's e-mail.
const longestName = 300

func (s *Server) from(q *request, what string) string {
	return what + " from " + household(s.address(q.Request))
}

func (q *request) held(wait time.Duration) error {
	if wait == 0 {
		return nil
	}
	seconds := int(math.Ceil(wait.Seconds()))
	q.answer.Set("Retry-After", strconv.Itoa(seconds))
	return graph.Errorf(graph.TooMany, "too many attempts; try again in %d seconds", seconds)
}

// wait counts an attempt and returns 0, or else how long it would have to wait.
func (a *attempts) wait(key string, span time.Duration) time.Duration {
	now := time.Now()
	a.mu.Lock()
	defer a.mu.Unlock()
	l := a.of[key]
	if l == nil {
		a.makeRoom()
		l = rate.NewLimiter(rate.Every(span/time.Duration(a.most)), a.most)
		a.of[key] = l
	}
	r := l.ReserveN(now, 1)
	wait := r.DelayFrom(now)
	if wait > 0 {
		r.CancelAt(now)
	}
	return wait
}

// makeRoom forgets somebody, whoever comes first in a map.
func (a *attempts) makeRoom() {
	if a.of == nil {
		a.of = map[string]*rate.Limiter{}
	}
	for key := range a.of {
		if len(a.of) < mostAttempts {
			return
		}
		delete(a.of, key)
	}
}
