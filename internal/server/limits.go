package server

import (
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/budget"
	"github.com/weft-graph/weft/internal/shares"
)

// Limits bound the requests in progress together (Memory, Bodies, Requests) and the rates of each network (PerSecond, Burst,
// RefusalBurst). A request that would exceed a limit is refused and may be sent again.
// RefusalBurst only delays refusals.
type Limits struct {
	// Memory is the maximum number of bytes that all concurrent requests hold together: their bodies, the records of
	// their responses and the widgets that they show; 0 means 256 MiB. One request may hold half of it. See package
	// budget.
	Memory int64
	// Bodies is the maximum number of bytes of all long bodies in memory; 0 means 256 MiB.
	Bodies int64
	// Requests is the maximum number of concurrent requests, without streams; 0 means DefaultRequests. A request counts
	// from the moment its body has arrived. Uploads count separately, with a quarter of this limit. No user, and no
	// network of guests, receives more than three quarters; see package shares.
	Requests int64
	// PerSecond is the maximum average number of requests per second of a network, and Burst the maximum size of a
	// burst. PerSecond 0 means no limit; Burst 0 means PerSecond.
	PerSecond float64
	Burst     int
	// RefusalBurst is the number of refusals that a network receives before they are delayed; 0 means 100.
	RefusalBurst int
}

// DefaultRequests is the default of Limits.Requests and of the flag --max-requests.
const DefaultRequests = 1000

// Defaults of Limits, in bytes.
const (
	defaultRequestMemory = 256 << 20
	defaultBodyMemory    = 256 << 20
)

type requestLimits struct {
	Limits
	memory            *budget.Budget
	bodies            atomic.Int64 // bytes of long bodies
	bodiesRefused     atomic.Int64
	requests, uploads shares.Gate
	rates             networkRates
	refusals          refusalRates
}

func newRequestLimits(l Limits) *requestLimits {
	if l.Memory == 0 {
		l.Memory = defaultRequestMemory
	}
	if l.Bodies == 0 {
		l.Bodies = defaultBodyMemory
	}
	if l.Requests == 0 {
		l.Requests = DefaultRequests
	}
	if l.Burst == 0 {
		l.Burst = max(1, int(l.PerSecond))
	}
	if l.RefusalBurst == 0 {
		l.RefusalBurst = defaultRefusalBurst
	}
	return &requestLimits{
		Limits:   l,
		memory:   budget.New(l.Memory),
		requests: shares.Gate{What: "requests in progress", Total: l.Requests},
		uploads:  shares.Gate{What: "uploads in progress", Total: max(1, l.Requests/4)},
		rates:    networkRates{perSecond: l.PerSecond, burst: l.Burst},
		refusals: newRefusalRates(l.RefusalBurst),
	}
}

// admit counts a request against the rate of its network. It returns a TooMany error beyond the rate.
func (l *requestLimits) admit(r *http.Request, addresses clientAddresses) error {
	if l.PerSecond == 0 || l.rates.allow(addresses.network(r), 1) {
		return nil
	}
	return graph.Errorf(graph.TooMany, "more than %v requests a second from one address; try again in a moment", l.PerSecond)
}

// maxRatesPerGeneration is the maximum number of keys in a generation of networkRates.
const maxRatesPerGeneration = 50_000

// networkRates limits the rate of each network or user. It keeps two generations of rates. When the young
// generation is full, it becomes the old generation, and the previous old generation is evicted. A key that is
// used moves to the young generation.
type networkRates struct {
	perSecond float64
	burst     int

	mu         sync.Mutex
	young, old map[string]*rate.Limiter
}

// allow reports whether a key may spend an amount now, and counts it.
func (n *networkRates) allow(key string, amount int) bool {
	return n.limiter(key).AllowN(time.Now(), amount)
}

func (n *networkRates) limiter(key string) *rate.Limiter {
	n.mu.Lock()
	defer n.mu.Unlock()
	limiter := n.young[key]
	if limiter != nil {
		return limiter
	}
	if limiter = n.old[key]; limiter == nil {
		limiter = rate.NewLimiter(rate.Limit(n.perSecond), n.burst)
	}
	if n.young == nil || len(n.young) >= maxRatesPerGeneration {
		n.young, n.old = map[string]*rate.Limiter{}, n.young
	}
	n.young[key] = limiter
	return limiter
}
