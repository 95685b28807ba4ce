package server

import (
	"cmp"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"
)

// access is the access log. A line per request would cost a good part of a small request, so there is
// one per route and every few seconds; only slow requests and failures have a line of their own.
type access struct {
	log   *slog.Logger
	mu    sync.Mutex
	since time.Time
	rows  map[string]*row
}

type row struct {
	requests, refused, failed int
	bytes                     int
	total, worst              time.Duration
}

const (
	every = 10 * time.Second
	slow  = time.Second
)

func (a *access) note(r *http.Request, w *seen, took time.Duration) {
	name := r.Pattern
	if took > slow && w.Header().Get("Content-Type") != eventStream {
		a.log.Warn("slow request", "request", w.Header().Get(requestID), "route", name, "status", w.status, "took", took)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.rows == nil {
		a.rows, a.since = map[string]*row{}, time.Now()
	}
	one := a.rows[name]
	if one == nil {
		one = &row{}
		a.rows[name] = one
	}
	one.add(w, took)
	if time.Since(a.since) > every {
		a.write()
	}
}

func (r *row) add(w *seen, took time.Duration) {
	r.requests++
	r.bytes += w.bytes
	r.total += took
	r.worst = max(r.worst, took)
	switch {
	case w.status >= http.StatusInternalServerError:
		r.failed++
	case w.status >= http.StatusBadRequest:
		r.refused++
	}
}

func (a *access) flush() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.write()
}

// write must be called under the lock.
func (a *access) write() {
	for _, name := range slices.SortedFunc(maps.Keys(a.rows), cmp.Compare[string]) {
		r := a.rows[name]
		a.log.Info("requests", "route", name, "n", r.requests, "refused", r.refused, "failed", r.failed,
			"bytes", r.bytes, "mean", r.total/time.Duration(r.requests), "worst", r.worst)
	}
	a.rows = nil
}
