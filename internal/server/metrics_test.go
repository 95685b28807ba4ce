package server

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

func TestCountingARequestAllocatesNothing(t *testing.T) {
	m := newMetrics(prometheus.NewRegistry())
	m.addRoutes([]string{"GET /api/health"})
	r := httptest.NewRequest(http.MethodGet, "/api/health", nil)
	r.Pattern = "GET /api/health"
	w := &responseRecorder{ResponseWriter: httptest.NewRecorder(), status: http.StatusOK, bytes: 70}
	if n := testing.AllocsPerRun(100, func() {
		m.begin()
		m.end(r, w, time.Millisecond)
	}); n != 0 {
		t.Errorf("%v allocations; want none", n)
	}
}
