package server

import (
	"net/http"
	"sync"
	"sync/atomic"

	"golang.org/x/time/rate"

	"github.com/weft-graph/weft/graph"
)

// Limits are on what requests take together. One beyond them is refused and may be sent again.
type Limits struct {
	// Bodies is how many bytes of long bodies are in memory at once; 0 means 256 MiB.
	Bodies int64
	// Requests is how many are answered at once, streams left out; 0 means 1,000. One whose body is still on its
	// way is not answered yet. Those that upload something have a quarter as many of their own.
	Requests int64
	// PerSecond is how many requests an address may make, and Burst how many of them at once; 0 means
	// as many as it likes.
	PerSecond float64
	Burst     int
}

type limits struct {
	Limits
	bodies             atomic.Int64
	requests, arriving seats

	mu sync.Mutex
	// Two generations of addresses: when the younger is full the older is forgotten.
	young, old map[string]*rate.Limiter
}

func newLimits(l Limits) *limits {
	if l.Bodies == 0 {
		l.Bodies = 256 << 20
	}
	if l.Requests == 0 {
		l.Requests = 1000
	}
	if l.Burst == 0 {
		l.Burst = max(1, int(l.PerSecond))
	}
	return &limits{
		Limits: l, young: map[string]*rate.Limiter{},
		requests: seats{most: l.Requests}, arriving: seats{most: max(1, l.Requests/4)},
	}
}

// seats are those of requests being answered.
type seats struct {
	most  int64
	taken atomic.Int64
}

// begin takes a seat, to be given back with end.
func (s *seats) begin() error {
	if s.taken.Add(1) > s.most {
		s.taken.Add(-1)
		return graph.Errorf(graph.Unavailable, "%d requests are being answered already; try again in a moment", s.most)
	}
	return nil
}

func (s *seats) end() { s.taken.Add(-1) }

// A held is the memory that one body takes of what all have.
type held struct {
	limits *limits
	bytes  int64
}

// longBody is the size above which a body counts.
const longBody = few

// grow takes memory for a body of so many bytes, in place of what was held.
func (h *held) grow(to int64) error {
	if to <= longBody || to <= h.bytes {
		return nil
	}
	more := to - h.bytes
	if h.limits.bodies.Add(more) > h.limits.Bodies {
		h.limits.bodies.Add(-more)
		return graph.Errorf(graph.Unavailable, "there is no room for a body of %d bytes now; try again in a moment", to)
	}
	h.bytes = to
	return nil
}

func (h *held) release() {
	if h.bytes > 0 {
		h.limits.bodies.Add(-h.bytes)
	}
}

// admit counts a request against the rate of its address.
func (s *Server) admit(r *http.Request) error {
	l := s.limits
	if l.PerSecond == 0 || l.limiter(household(s.address(r))).Allow() {
		return nil
	}
	return graph.Errorf(graph.TooMany, "more than %v requests a second from one address; try again in a moment", l.PerSecond)
}

// mostAddresses bounds a generation.
const mostAddresses = 50_000

func (l *limits) limiter(address string) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	one := l.young[address]
	if one != nil {
		return one
	}
	if one = l.old[address]; one == nil {
		one = rate.NewLimiter(rate.Limit(l.PerSecond), l.Burst)
	}
	if len(l.young) >= mostAddresses {
		l.young, l.old = map[string]*rate.Limiter{}, l.young
	}
	l.young[address] = one
	return one
}
