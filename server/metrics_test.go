package server

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/weft-graph/weft/store/memory"
)

func TestCountingARequestAllocatesNothing(t *testing.T) {
	s := New(memory.New(), Options{Metrics: prometheus.NewRegistry()})
	defer s.Close()
	r := httptest.NewRequest(http.MethodGet, "/api/health", nil)
	r.Pattern = "GET /api/health"
	w := &seen{ResponseWriter: httptest.NewRecorder(), status: http.StatusOK, bytes: 70}
	if n := testing.AllocsPerRun(100, func() {
		s.meters.begin()
		s.meters.end(r, w, time.Millisecond)
	}); n != 0 {
		t.Errorf("%v allocations; want none", n)
	}
}
