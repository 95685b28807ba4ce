package server

import (
	"cmp"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/weft-graph/weft/internal/telemetry/operation"
)

// accessLog logs one line per route every accessLogInterval. A line for each request would take a considerable part
// of the time of a small request. Only a slow request has its own line.
type accessLog struct {
	log     *slog.Logger
	traffic *operation.Traffic // counts the same requests, for admins

	mu     sync.Mutex
	since  time.Time
	routes map[string]*routeStats
}

// routeStats holds sums over the requests of one route.
type routeStats struct {
	requests, refused, failed int // refused: status 4xx; failed: status 5xx
	bytes                     int // of response bodies
	total, worst              time.Duration
}

const (
	accessLogInterval = 10 * time.Second
	slowRequest       = time.Second // a request that takes longer has its own line
)

// add counts a request, and writes the log when the interval is over.
func (a *accessLog) add(r *http.Request, w *responseRecorder, took time.Duration) {
	route, isStream := r.Pattern, w.Header().Get("Content-Type") == eventStream
	if a.traffic != nil {
		a.traffic.Add(operation.Request{Route: route, Status: w.status, Bytes: w.bytes, Took: took, IsStream: isStream}, time.Now())
	}
	if took > slowRequest && !isStream {
		a.log.Warn("slow request", "request", w.Header().Get(requestIDHeader), "route", route, "status", w.status, "took", took)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.routes == nil {
		a.routes, a.since = map[string]*routeStats{}, time.Now()
	}
	stats := a.routes[route]
	if stats == nil {
		stats = &routeStats{}
		a.routes[route] = stats
	}
	stats.add(w, took)
	if time.Since(a.since) > accessLogInterval {
		a.write()
	}
}

func (s *routeStats) add(w *responseRecorder, took time.Duration) {
	s.requests++
	s.bytes += w.bytes
	s.total += took
	s.worst = max(s.worst, took)
	switch {
	case w.status >= http.StatusInternalServerError:
		s.failed++
	case w.status >= http.StatusBadRequest:
		s.refused++
	}
}

// flush writes the log when the server stops, before the interval is over.
func (a *accessLog) flush() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.write()
}

// write logs and resets the sums. The caller holds the lock.
func (a *accessLog) write() {
	for _, route := range slices.SortedFunc(maps.Keys(a.routes), cmp.Compare[string]) {
		s := a.routes[route]
		a.log.Info("requests", "route", route, "n", s.requests, "refused", s.refused, "failed", s.failed,
			"bytes", s.bytes, "mean", s.total/time.Duration(s.requests), "worst", s.worst)
	}
	a.routes = nil
}
