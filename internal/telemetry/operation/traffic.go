package operation

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"
)

// trafficMinutes is the number of minutes that Traffic keeps.
const trafficMinutes = 24 * 60

// latencyBounds are the upper bounds of the counts of a bucket.
var latencyBounds = []time.Duration{
	500 * time.Microsecond, time.Millisecond, 2500 * time.Microsecond, 5 * time.Millisecond, 10 * time.Millisecond, 25 * time.Millisecond,
	50 * time.Millisecond, 100 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2500 * time.Millisecond, 10 * time.Second,
}

// A Request is a finished request.
type Request struct {
	Route    string // the pattern of the route; the number of different patterns is limited
	Status   int
	Bytes    int // size of the response body
	Took     time.Duration
	IsStream bool // Took is the lifetime of a stream and is not counted
}

// Traffic counts requests by minute and by route. The zero value is ready to use.
type Traffic struct {
	mu      sync.Mutex
	buckets [trafficMinutes]bucket // by minute modulo trafficMinutes
	routes  map[string]*bucket
}

// A bucket holds sums over requests.
type bucket struct {
	minute                    int64 // minutes since 1970
	requests, refused, failed int64 // refused: status 4xx; failed: status 5xx
	bytes, timed              int64 // timed: requests that are not streams
	total, worst              time.Duration
	counts                    [14]int64 // timed requests by latencyBounds; the last element counts the requests above all bounds
}

// Add counts a request that ended at a time.
func (t *Traffic) Add(r Request, now time.Time) {
	minute := now.Unix() / 60
	t.mu.Lock()
	defer t.mu.Unlock()
	b := &t.buckets[minute%trafficMinutes]
	if b.minute != minute {
		*b = bucket{minute: minute}
	}
	b.add(r)
	if t.routes == nil {
		t.routes = map[string]*bucket{}
	}
	route := t.routes[r.Route]
	if route == nil {
		route = &bucket{}
		t.routes[r.Route] = route
	}
	route.add(r)
}

func (b *bucket) add(r Request) {
	b.requests++
	b.bytes += int64(r.Bytes)
	switch {
	case r.Status >= 500:
		b.failed++
	case r.Status >= 400:
		b.refused++
	}
	if r.IsStream {
		return
	}
	b.timed++
	b.total += r.Took
	b.worst = max(b.worst, r.Took)
	i, _ := slices.BinarySearch(latencyBounds, r.Took)
	b.counts[i]++
}

// Sums describes requests. Times are in milliseconds; P50, P95 and P99 are interpolated within the bounds of a histogram.
type Sums struct {
	Requests int64   `json:"requests"`
	Refused  int64   `json:"refused"` // status 4xx
	Failed   int64   `json:"failed"`  // status 5xx
	Bytes    int64   `json:"bytes"`   // size of the response bodies
	Mean     float64 `json:"mean"`
	P50      float64 `json:"p50"`
	P95      float64 `json:"p95"`
	P99      float64 `json:"p99"`
	Worst    float64 `json:"worst"`
}

// A Minute holds the sums of a minute.
type Minute struct {
	At time.Time `json:"at"` // start of the minute
	Sums
}

// A Route holds the sums of a route since the start of the server.
type Route struct {
	Route string `json:"route"`
	Sums
}

func (b *bucket) sums() Sums {
	s := Sums{Requests: b.requests, Refused: b.refused, Failed: b.failed, Bytes: b.bytes, Worst: milliseconds(b.worst)}
	if b.timed > 0 {
		s.Mean = milliseconds(b.total) / float64(b.timed)
		s.P50, s.P95, s.P99 = b.quantile(.5), b.quantile(.95), b.quantile(.99)
	}
	return s
}

// quantile estimates a quantile in milliseconds.
func (b *bucket) quantile(q float64) float64 {
	rank, seen := q*float64(b.timed), 0.
	for i, n := range b.counts {
		if n > 0 && seen+float64(n) >= rank {
			low, high := time.Duration(0), b.worst
			if i > 0 {
				low = latencyBounds[i-1]
			}
			if i < len(latencyBounds) {
				high = min(latencyBounds[i], b.worst)
			}
			return milliseconds(low) + (rank-seen)/float64(n)*milliseconds(max(high-low, 0))
		}
		seen += float64(n)
	}
	return milliseconds(b.worst)
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// Minutes returns the sums of the last n minutes, oldest first, including the current one. Minutes without requests are zero.
// It returns at most the minutes of a day.
func (t *Traffic) Minutes(n int, now time.Time) []Minute {
	n = min(max(n, 0), trafficMinutes)
	t.mu.Lock()
	defer t.mu.Unlock()
	all := make([]Minute, 0, n)
	for minute := now.Unix()/60 - int64(n) + 1; len(all) < n; minute++ {
		m := Minute{At: time.Unix(minute*60, 0).UTC()}
		if b := &t.buckets[minute%trafficMinutes]; b.minute == minute {
			m.Sums = b.sums()
		}
		all = append(all, m)
	}
	return all
}

// Routes returns the sums of all routes since the start, the most frequent route first.
func (t *Traffic) Routes() []Route {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := make([]Route, 0, len(t.routes))
	for _, name := range slices.Sorted(maps.Keys(t.routes)) {
		all = append(all, Route{name, t.routes[name].sums()})
	}
	slices.SortStableFunc(all, func(a, b Route) int { return cmp.Compare(b.Requests, a.Requests) })
	return all
}
